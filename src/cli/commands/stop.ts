import { z } from "zod";
import { errorMessage, RetinueError } from "../../errors.ts";
import { findAgents, isOpen, readAgent, type AgentOnDisk } from "../../transcript/meta.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { exitCodeOfError, exitCodes } from "../exit-codes.ts";
import { findAgent } from "../find-agent.ts";
import { plural } from "../format.ts";
import { AgentLines } from "../reach-agent.ts";
import { plain } from "../sanitize.ts";

interface StopOptions {
  all?: boolean;
  time?: number;
  json?: boolean;
}

interface Stopped {
  id: string;
  state: string;
  /** What was ended with it; nothing when there was nothing to end. */
  died?: { agents: string[]; processes: number };
  /** Why there was nothing to end. */
  note?: string;
}

const answerSchema = z.object({
  id: z.string(),
  state: z.string(),
  died: z.object({ agents: z.array(z.string()), processes: z.int() }).exactOptional(),
});

/** `retinue stop` and `retinue kill`: says for each agent what became of it. One that fails does not keep the others. */
export async function stopCommand(
  ids: string[],
  options: StopOptions,
  how: "stop" | "kill",
): Promise<void> {
  if ((ids.length === 0) !== (options.all === true)) {
    throw new RetinueError("invalid_request", `Name the agents to ${how}, or --all of them.`);
  }
  const targets =
    options.all === true
      ? (await openAgents()).map((agent) => () => Promise.resolve(agent))
      : ids.map((id) => () => findAgent(id));
  using lines = new AgentLines();
  const stopped: Stopped[] = [];
  for (const some of batches(targets, atOnce)) {
    const ended = some.map(async (find) => {
      try {
        const one = await end(await find(), { ...options, how, lines });
        stopped.push(one);
        if (options.json !== true) process.stdout.write(line(one));
      } catch (error) {
        process.stderr.write(`retinue: ${plain(errorMessage(error))}\n`);
        process.exitCode ??= codeOf(error);
      }
    });
    await Promise.all(ended);
  }
  if (options.json === true) process.stdout.write(`${JSON.stringify(stopped, null, 2)}\n`);
  else if (targets.length === 0) process.stderr.write("No agent is running.\n");
}

/** Fewer than an owner takes on one line. */
const atOnce = 50;

function batches<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

async function openAgents(): Promise<AgentOnDisk[]> {
  const agents = await findAgents(defaultConfigDir());
  return agents.filter(({ state }) => isOpen(state));
}

async function end(
  agent: AgentOnDisk,
  { how, time, lines }: StopOptions & { how: "stop" | "kill"; lines: AgentLines },
): Promise<Stopped> {
  const id = agent.meta.retinue.agentId;
  if (!isOpen(agent.state)) return nothingToEnd(agent);
  try {
    const client = await lines.reach(agent);
    const params = time === undefined ? { id } : { id, graceMs: time * 1000 };
    const answer = how === "stop" ? client.call("stop", params) : client.call("kill", { id });
    return answerSchema.parse(await answer);
  } catch (error) {
    // It may have ended by itself, and its process with it, while we asked.
    const now = await readAgent(agent.file);
    if (now === undefined || isOpen(now.state)) throw error;
    return nothingToEnd(now);
  }
}

function nothingToEnd({ meta, state }: AgentOnDisk): Stopped {
  const { agentId: id, pid } = meta.retinue;
  const note =
    state === "interrupted"
      ? `its process ${pid} is gone; nothing to end. 'retinue resume ${id}' continues it`
      : "it has ended before";
  return { id, state, note };
}

function line({ id, state, died, note }: Stopped): string {
  const what =
    died === undefined
      ? []
      : [
          `ended ${plural(died.agents.length, "agent")} and ${plural(died.processes, "process", "processes")}`,
        ];
  return `${[`${id}  ${state}`, ...what, ...(note === undefined ? [] : [note])].join(" · ")}\n`;
}

function codeOf(error: unknown): number {
  return error instanceof RetinueError ? exitCodeOfError(error.code) : exitCodes.failed;
}

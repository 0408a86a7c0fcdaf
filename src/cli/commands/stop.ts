import { InvalidArgumentError, type Command } from "commander";
import { z } from "zod";
import { RetinueError } from "../../contract/errors.ts";
import { mapAtMost } from "../../platform/gate.ts";
import { isOpen, readAgent, type AgentOnDisk } from "../../transcript/agent-on-disk.ts";
import { findOpenAgents } from "../../transcript/open-agents.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { Caller } from "../find/caller.ts";
import { exitCodes } from "../exit-codes.ts";
import { agentFinder } from "../find/find-agent.ts";
import { plural } from "../terminal/format.ts";
import { AgentLines } from "../find/reach-agent.ts";
import { firstRefusal, Refusal } from "../refusal.ts";
import { plain } from "../terminal/sanitize.ts";
import { json, which } from "../options/shared-options.ts";

interface StopFlags {
  all?: boolean;
  time?: number;
  json?: boolean;
}

interface Stopped {
  id: string;
  state: string;
  /** Agents and processes that ended with it; absent if there was nothing to end. */
  died?: { agents: string[]; processes: number };
  /** The reason why there was nothing to end. */
  note?: string;
}

interface Target {
  asked: string;
  find: () => Promise<AgentOnDisk>;
}

interface StopContext extends StopFlags {
  how: "stop" | "kill";
  lines: AgentLines;
  caller: Caller;
}

const answerSchema = z.object({
  id: z.string(),
  state: z.string(),
  died: z.object({ agents: z.array(z.string()), processes: z.int() }).exactOptional(),
});

const endsEach = `
An agent that has already ended or was interrupted is listed, without an error. If an agent cannot be ended, the others
still are; the exit code is then that of the first failure, 3 for an unknown agent.`;

export function addStop(program: Command): void {
  program
    .command("stop")
    .description(
      "stop agents of any process, with the children they wait for and the processes they started",
    )
    .argument("[ids...]", which)
    .option("--all", "every agent that has not ended")
    .option(
      "-t, --time <seconds>",
      "time that their processes have to end by themselves (default 0.3)",
      fractionalSeconds,
    )
    .option("--json", json)
    .addHelpText("after", endsEach)
    .action((ids: string[], options) => stopCommand(ids, options, "stop"));
}

export function addKill(program: Command): void {
  program
    .command("kill")
    .description("end agents at once: their processes get no time to end by themselves")
    .argument("<ids...>", which)
    .option("--json", json)
    .addHelpText("after", endsEach)
    .action((ids: string[], options) => stopCommand(ids, options, "kill"));
}

/** A number of seconds, also 0 or a fraction; at most what a timer can wait for. */
function fractionalSeconds(text: string): number {
  const number = /^\d{1,7}(\.\d{1,3})?$/.test(text) ? Number(text) : Infinity;
  if (number <= 2_000_000) return number;
  throw new InvalidArgumentError("It must be a number from 0 to 2000000, such as 0.5.");
}

/**
 * `retinue stop` and `retinue kill`: print the outcome for each agent. One failure does not keep the others from
 * ending.
 */
async function stopCommand(ids: string[], options: StopFlags, how: "stop" | "kill"): Promise<void> {
  const { all = false } = options;
  if ((ids.length === 0) !== all) {
    const orAll = how === "stop" ? ", or --all of them" : "";
    throw new RetinueError("invalid_request", `Name the agents to ${how}${orAll}.`);
  }
  const findAgent = agentFinder();
  const targets: Target[] = all
    ? (await openAgents()).map((agent) => ({ asked: agent.record.id, find: async () => agent }))
    : ids.map((asked) => ({ asked, find: () => findAgent(asked) }));
  const caller = await Caller.read();
  using lines = new AgentLines();
  const outcomes = await mapAtMost(atOnce, targets, async ({ asked, find }) => {
    const outcome: Stopped | Refusal = await findAndEnd(find, {
      ...options,
      how,
      lines,
      caller,
    }).catch((error: unknown) => new Refusal(asked, error));
    if (options.json !== true) print(outcome);
    return outcome;
  });
  if (options.json === true) process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
  else if (targets.length === 0) process.stderr.write("No agent is running.\n");
  process.exitCode = firstRefusal(outcomes)?.code ?? exitCodes.ok;
}

/** Fewer calls than an owner accepts on one connection. */
const atOnce = 50;

async function openAgents(): Promise<AgentOnDisk[]> {
  const agents = await findOpenAgents(defaultConfigDir());
  return agents.filter(({ record }) => isOpen(record.state));
}

async function findAndEnd(find: Target["find"], means: StopContext): Promise<Stopped> {
  const agent = await find();
  if (!isOpen(agent.record.state)) return nothingToEnd(agent);
  means.caller.mustSteer(agent);
  return end(agent, means);
}

async function end(agent: AgentOnDisk, { how, time, lines }: StopContext): Promise<Stopped> {
  const id = agent.record.id;
  try {
    const client = await lines.reach(agent);
    const params = time === undefined ? { id } : { id, graceMs: Math.round(time * 1000) };
    const answer = how === "stop" ? client.call("stop", params) : client.call("kill", { id });
    return answerSchema.parse(await answer);
  } catch (error) {
    // The agent may have ended by itself meanwhile, and its process with it.
    const now = await readAgent(agent.file);
    if (now === undefined || isOpen(now.record.state)) throw error;
    return nothingToEnd(now);
  }
}

function nothingToEnd({ record, runner }: AgentOnDisk): Stopped {
  const { id, state } = record;
  const note =
    state === "interrupted"
      ? `its process ${runner.pid} is gone; nothing to end. 'retinue resume ${id}' continues it`
      : "it had already ended";
  return { id, state, note };
}

function print(outcome: Stopped | Refusal): void {
  if (outcome instanceof Refusal) process.stderr.write(String(outcome));
  else process.stdout.write(`${plain(line(outcome))}\n`);
}

function line({ id, state, died, note }: Stopped): string {
  const what =
    died === undefined
      ? []
      : [
          `ended ${plural(died.agents.length, "agent")} and ${plural(died.processes, "process", "processes")}`,
        ];
  return [`${id}  ${state}`, ...what, ...(note === undefined ? [] : [note])].join(" · ");
}

import type { AgentRow } from "../../agent-row.ts";
import { errorMessage } from "../../errors.ts";
import { createManager, type Manager } from "../../manager.ts";
import { readLease } from "../../transcript/lease.ts";
import {
  findAgents,
  isInterrupted,
  sessionDirectory,
  type AgentOnDisk,
} from "../../transcript/meta.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { chooseModel } from "../choose-model.ts";
import { exitCodes, exitCodeOfSignal } from "../exit-codes.ts";
import { likeAtStart } from "../kept-start.ts";
import { managerOptions } from "../run-session.ts";
import { plainLine } from "../sanitize.ts";
import { warningLogger } from "../warning-logger.ts";
import type { ResumeOptions } from "./resume.ts";

/** How one agent that was interrupted stands at the end. */
interface Picked {
  id: string;
  sessionId: string;
  state: string;
  error?: string;
}

/** `retinue resume --all`: every agent that was interrupted goes on, and the command waits for all of them. */
export async function resumeAllCommand(options: ResumeOptions): Promise<void> {
  const agents = (await findAgents(defaultConfigDir())).filter(isInterrupted);
  const sessions = [...Map.groupBy(agents, ({ meta }) => meta.retinue.sessionId).values()];
  const open = new Set<Manager>();
  let interrupted: NodeJS.Signals | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    interrupted = signal;
    for (const manager of open) void manager.stopAll(`interrupted by ${signal}`);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    const picked = (
      await Promise.all(sessions.map((session) => pickUp(session, options, open)))
    ).flat();
    print(picked, options);
    if (interrupted !== null) process.exitCode = exitCodeOfSignal(interrupted);
    else if (picked.some(({ state }) => state !== "completed")) process.exitCode = exitCodes.failed;
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

async function pickUp(
  agents: readonly AgentOnDisk[],
  options: ResumeOptions,
  open: Set<Manager>,
): Promise<Picked[]> {
  const [first] = agents;
  if (first === undefined) return [];
  const { cwd, sessionId } = first.meta.retinue;
  const sessionDir = sessionDirectory(first.file);
  const all = (state: string, error: string): Picked[] =>
    agents.map(({ meta }) => ({ id: meta.retinue.agentId, sessionId, state, error }));
  if (readLease(`${sessionDir}/lease.json`).state === "held")
    return all("interrupted", "Its session runs in another process, which can resume it.");
  let manager: Manager;
  try {
    const like = likeAtStart(sessionDir, options);
    const { model } = await chooseModel(like);
    const logger = warningLogger((line) => void process.stderr.write(`${line}\n`));
    manager = createManager({
      model,
      cwd,
      session: sessionId,
      ...managerOptions(like),
      ...(options.quiet === true ? {} : { logger }),
    });
  } catch (error) {
    return all("interrupted", errorMessage(error));
  }
  open.add(manager);
  try {
    const { failed } = await manager.resumeAll();
    await untilQuiet(manager);
    return agents.map(({ meta }) => {
      const id = meta.retinue.agentId;
      const error = failed.find((one) => one.id === id)?.error;
      const row: AgentRow | undefined = manager.get(id);
      return {
        id,
        sessionId,
        state: row?.state ?? "interrupted",
        ...(error === undefined ? {} : { error: errorMessage(error) }),
      };
    });
  } catch (error) {
    return all("interrupted", errorMessage(error));
  } finally {
    await manager.close();
    open.delete(manager);
  }
}

/** Agents that go on bring others back. */
async function untilQuiet(manager: Manager): Promise<void> {
  for (;;) {
    const busy = manager.list().filter(({ state }) => state !== "idle");
    if (busy.length === 0) return;
    await Promise.all(busy.map(({ id }) => manager.output(id, { block: true })));
  }
}

function print(picked: readonly Picked[], options: ResumeOptions): void {
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(picked, null, 2)}\n`);
    return;
  }
  if (picked.length === 0) process.stderr.write("No agent was interrupted.\n");
  for (const { id, state, error } of picked)
    process.stdout.write(`${id} ${state}${error === undefined ? "" : ` ${plainLine(error)}`}\n`);
}

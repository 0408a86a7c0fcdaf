import type { AgentRow } from "../../session/agent-row.ts";
import { errorMessage, RetinueError } from "../../contract/errors.ts";
import { hasEnded } from "../../events/agent-record.ts";
import { createManager, type Manager } from "../../manager.ts";
import { mapAtMost } from "../../platform/gate.ts";
import { readLease, type Lease } from "../../transcript/lease/lease.ts";
import {
  isOpen,
  readAgent,
  sessionDirectory,
  type AgentOnDisk,
} from "../../transcript/agent-on-disk.ts";
import { findLeftAgents } from "../../transcript/open-agents.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { Caller } from "../find/caller.ts";
import { chooseModel } from "./choose-model.ts";
import { EndSignals, stoppingLine } from "./end-signals.ts";
import { exitCodes, exitCodeOfSignal } from "../exit-codes.ts";
import { likeAtStart, withWholePaths } from "./kept-start.ts";
import { managerOptions, type RunOptions } from "./run-session.ts";
import { plainLine } from "../terminal/sanitize.ts";
import { serveLater } from "./serve-later.ts";
import { untilQuiet } from "./until-quiet.ts";
import { warningLogger } from "../warning-logger.ts";

/** The state of one interrupted agent at the end. */
interface Picked {
  id: string;
  sessionId: string;
  state: string;
  error?: string;
}

/** The most sessions open at the same time. */
const atOnce = 4;

/** `retinue resume --all`: resumes every interrupted agent and waits for all of them. */
export async function resumeAllCommand(options: RunOptions): Promise<void> {
  const open = new Set<Manager>();
  using signals = new EndSignals((signal) => {
    if (signal === "SIGINT") process.stderr.write(`retinue: ${stoppingLine}\n`);
    for (const manager of open) void manager.stopAll(`interrupted by ${signal}`);
  });
  const agents = await findLeftAgents(defaultConfigDir());
  const sessions = [...Map.groupBy(agents, ({ record }) => record.sessionId).values()];
  const caller = await Caller.read();
  const picked = await mapAtMost(atOnce, sessions, (session) =>
    pickUp(session, { options, open, signals, caller }),
  );
  const all = picked.flat();
  print(all, options);
  if (signals.received !== null) process.exitCode = exitCodeOfSignal(signals.received);
  else if (all.some(({ state }) => state !== "completed")) process.exitCode = exitCodes.failed;
}

interface ResumeAllContext {
  options: RunOptions;
  /** Managers that have agents to stop. */
  open: Set<Manager>;
  signals: EndSignals;
  caller: Caller;
}

async function pickUp(
  agents: readonly AgentOnDisk[],
  { options, open, signals, caller }: ResumeAllContext,
): Promise<Picked[]> {
  const [first] = agents;
  if (first === undefined) return [];
  const { cwd, sessionId } = first.record;
  const sessionDir = sessionDirectory(first.file);
  const notResumed = async (error: string): Promise<Picked[]> =>
    (await readWhole(agents)).map(({ record: { id } }) => ({
      id,
      sessionId,
      state: "interrupted",
      error,
    }));
  const isTooLate = (): boolean => signals.received !== null;
  const tooLate = (): Promise<Picked[]> =>
    notResumed(`Not resumed: interrupted by ${signals.received}.`);
  if (isTooLate()) return tooLate();
  const owner = heldBy(sessionDir);
  if (owner !== undefined) return runBy(owner, agents);
  const say = (line: string): void => {
    if (options.quiet !== true) process.stderr.write(`${line}\n`);
  };
  let manager: Manager;
  try {
    caller.mustSteer(first);
    const like = likeAtStart(sessionDir, withWholePaths(options));
    const { model } = await chooseModel(like);
    if (isTooLate()) return tooLate();
    manager = createManager({
      model,
      cwd,
      session: sessionId,
      ...managerOptions(like),
      logger: warningLogger(say),
    });
  } catch (error) {
    const faster = isBusy(error) ? heldBy(sessionDir) : undefined;
    return faster === undefined ? notResumed(errorMessage(error)) : runBy(faster, agents);
  }
  open.add(manager);
  await using _serving = serveLater(manager, {
    say: (line) => say(`retinue: ${line}`),
    isAwaited: false,
  });
  try {
    const { interrupted, failed } = await manager.resumeAll();
    // A signal that came meanwhile stopped only the agents that were already under way.
    if (isTooLate()) await manager.stopAll(`interrupted by ${signals.received}`);
    await untilQuiet(manager);
    const ids = agents.map(({ record }) => record.id).filter((id) => interrupted.includes(id));
    return ids.map((id) => {
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
    return await notResumed(errorMessage(error));
  } finally {
    await manager.close();
    open.delete(manager);
  }
}

function heldBy(sessionDir: string): Lease | undefined {
  const found = readLease(`${sessionDir}/lease.json`);
  return found.state === "held" ? found.lease : undefined;
}

function isBusy(error: unknown): boolean {
  return error instanceof RetinueError && error.code === "session_busy";
}

/** Reports on agents whose session belongs to another process. Their files say whether it has resumed them already. */
async function runBy({ pid }: Lease, agents: readonly AgentOnDisk[]): Promise<Picked[]> {
  return (await readWhole(agents)).map(({ record }) => {
    const { id, sessionId, state } = record;
    const ways = `'retinue wait ${id}' waits for its end, 'retinue attach ${id}' shows it`;
    if (isOpen(state))
      return { id, sessionId, state, error: `Process ${pid} is resuming it now: ${ways}.` };
    if (state !== "interrupted") return { id, sessionId, state };
    const error = `Process ${pid} has its session open. If that process resumes the agent, ${ways}; otherwise run 'retinue resume ${id}'.`;
    return { id, sessionId, state, error };
  });
}

/** Reads agents with their transcripts. One whose end is in its transcript alone was not interrupted. */
async function readWhole(agents: readonly AgentOnDisk[]): Promise<AgentOnDisk[]> {
  const read = agents.map(async (agent) => (await readAgent(agent.file)) ?? agent);
  const isOver = ({ fileState, record }: AgentOnDisk): boolean =>
    hasEnded(record) && !hasEnded({ state: fileState });
  return (await Promise.all(read)).filter((agent) => !isOver(agent));
}

function print(picked: readonly Picked[], options: RunOptions): void {
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(picked, null, 2)}\n`);
    return;
  }
  if (picked.length === 0) process.stderr.write("No agent was interrupted.\n");
  for (const { id, state, error } of picked)
    process.stdout.write(`${plainLine(`${id} ${state} ${error ?? ""}`)}\n`);
}

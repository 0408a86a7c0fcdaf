import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import { RetinueError } from "../contract/errors.ts";
import { ancestorsOf } from "./agents-of.ts";
import {
  endProcesses,
  familyOf,
  signal,
  signalGroups,
  type ProcessSelector,
} from "./end-processes.ts";
import { ensureGuard } from "./guard.ts";
import { markDescriptor, markedEnvironment, openMark } from "./marks.ts";
import { inSessions, OwnSession } from "./own-session.ts";
import { isSessionUsed } from "./process-start.ts";
import { readProc, type Process } from "./process-table.ts";

/** Kill options, and a counter of the processes that died. Others may lower `graceMs` while a kill is in progress. */
export interface Termination {
  /** Milliseconds between SIGTERM and SIGKILL; none: SIGKILL at once. */
  graceMs: number;
  died: number;
}

export const defaultGraceMs = 300;

/**
 * All processes that one agent started, and their descendants. A process group does not contain them all: `setsid`
 * leaves it, and a double fork loses its parent. So every process inherits marks (`marks.ts`), and belongs to the tree
 * by its marks, by its session or group, or by descent.
 *
 * A process escapes if it clears its environment, closes what it inherited, loses its parent *and* leaves its session.
 * It also escapes if it stays in a session without any member from before the leader's end (`own-session.ts`). Only a
 * pid namespace contains those.
 */
export class ProcessTree {
  readonly #agent: string;
  readonly #ending: Termination;
  readonly #calls = new WeakMap<ChildProcess, string>();
  /**
   * Sessions by call. A session whose first group is found empty is dropped; the system does not report that moment.
   */
  readonly #sessions = new Map<string, OwnSession>();
  /** Kills under way, each with the number of processes it ended: two of them may hit the same process. */
  readonly #underWay = new Set<Promise<number>>();
  readonly #dead = new Set<string>();
  #used = false;
  #endingAll: Promise<number> | undefined;

  constructor(agent: string, ending: Termination = { graceMs: defaultGraceMs, died: 0 }) {
    this.#agent = agent;
    this.#ending = ending;
  }

  /** Starts a process in its own session. Failures to start arrive as the child's `error` event. */
  start(file: string, args: readonly string[], options: ProcessOptions): StartedProcess {
    if (process.platform === "win32") {
      throw new RetinueError(
        "unsupported",
        "Retinue cannot end processes reliably on Windows. Run it inside WSL.",
      );
    }
    this.#forgetEmptySessions();
    ensureGuard();
    const call = randomUUID();
    const child = startMarked(file, args, { ...options, mark: { agent: this.#agent, call } });
    this.#calls.set(child, call);
    if (child.pid !== undefined) {
      this.#used = true;
      const session = new OwnSession({ pid: child.pid, call });
      this.#sessions.set(call, session);
      endAtExit(this.#agent, this.#sessions);
      child.once("exit", () => {
        session.leaderLeft();
        this.#forgetEmptySessions();
      });
    }
    return child;
  }

  /**
   * Ends the processes of one `start`: SIGTERM first, then SIGKILL. Resolves with the number of processes that died.
   */
  async kill(
    child: ChildProcess,
    pace: { readonly graceMs: number } = this.#ending,
  ): Promise<number> {
    const call = this.#calls.get(child);
    if (call === undefined || child.pid === undefined) return 0;
    const session = this.#sessions.get(call);
    const isMarked = ({ calls }: Process): boolean => calls.includes(call);
    return this.#end(
      either(isMarked, () => (session === undefined ? [] : [session])),
      pace,
    );
  }

  /** Ends all processes of the agent. Resolves with the number of processes that died. Idempotent. */
  killAll(pace: { readonly graceMs: number } = this.#ending): Promise<number> {
    if (!this.#used) return Promise.resolve(0);
    this.#endingAll ??= this.#endAll(pace).finally(() => (this.#endingAll = undefined));
    return this.#endingAll;
  }

  async #endAll(pace: { readonly graceMs: number }): Promise<number> {
    const isMarked = ({ agents }: Process): boolean => agents.includes(this.#agent);
    const died = await this.#end(
      either(isMarked, () => this.#sessions.values()),
      pace,
    );
    // A process that a concurrent `kill` finds dead may not be counted yet.
    await Promise.all(this.#underWay);
    this.#dead.clear();
    endedAtExit.delete(this.#agent);
    return died;
  }

  async #end(belonging: ProcessSelector, pace: { readonly graceMs: number }): Promise<number> {
    const ending = endProcesses(belonging, pace).then((died) => {
      for (const process of died) {
        if (!this.#dead.has(process)) this.#ending.died += 1;
        this.#dead.add(process);
      }
      return died.length;
    });
    this.#underWay.add(ending);
    return ending.finally(() => {
      this.#underWay.delete(ending);
      this.#forgetEmptySessions();
    });
  }

  #forgetEmptySessions(): void {
    for (const [call, session] of this.#sessions)
      // A process with a group of its own stays in the session.
      if (!signal(-session.number, 0) && !isSessionUsed(session.number))
        this.#sessions.delete(call);
  }
}

interface ProcessOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Name of the program (`argv[0]`); default: its file. */
  argv0?: string;
  /** Whether descriptor 3 is open for reports beside the output: `stdio[3]`. */
  reports?: boolean;
}

export type StartedProcess = ChildProcessByStdio<null, Readable, Readable>;

function startMarked(
  file: string,
  args: readonly string[],
  options: ProcessOptions & { mark: { agent: string; call: string } },
): StartedProcess {
  const stdio: ("ignore" | "pipe" | number)[] = ["ignore", "pipe", "pipe"];
  if (options.reports === true) stdio.push("pipe");
  const mark = openMark(options.mark);
  if (mark !== undefined) {
    // Above 2, "ignore" opens nothing.
    while (stdio.length < markDescriptor()) stdio.push("ignore");
    stdio.push(mark);
  }
  try {
    return spawn(file, args, {
      cwd: options.cwd,
      env: markedEnvironment(options.env, options.mark),
      detached: true,
      ...(options.argv0 === undefined ? {} : { argv0: options.argv0 }),
      stdio,
    }) as StartedProcess;
  } finally {
    if (mark !== undefined) closeSync(mark);
  }
}

/** Agents with processes that have not been ended: agent → its sessions. */
const endedAtExit = new Map<string, ReadonlyMap<string, OwnSession>>();
let endsAtExit = false;

/** Ends the agent's processes when this process exits. The guard does it if this process cannot. */
function endAtExit(agent: string, sessions: ReadonlyMap<string, OwnSession>): void {
  endedAtExit.set(agent, sessions);
  if (!endsAtExit) process.once("exit", killAtExit);
  endsAtExit = true;
}

/**
 * The agents of this process in whose sessions another process is, or a process above it: that identifies one without
 * marks.
 */
export function agentsInSession(found: Process, table: readonly Process[]): string[] {
  const line = [found, ...ancestorsOf(table, found.pid)];
  return [...endedAtExit].flatMap(([agent, sessions]) => {
    const isInside = inSessions(() => sessions.values())(table);
    return line.some(isInside) ? [agent] : [];
  });
}

/** Kills at exit. Without a snapshot, sessions without their leader are left to the guard, which goes by marks. */
function killAtExit(): void {
  const sessions = [...endedAtExit.values()].flatMap((ofAgent) => [...ofAgent.values()]);
  for (const { isLed, number } of sessions) if (isLed) signal(-number, "SIGKILL");
  if (endedAtExit.size === 0 || process.platform !== "linux") return;
  const isMarked = ({ agents }: Process): boolean => agents.some((agent) => endedAtExit.has(agent));
  const table = readProc();
  signalGroups(familyOf(table, either(isMarked, () => sessions)(table)), "SIGKILL");
}

function either(
  isMarked: (process: Process) => boolean,
  sessions: () => Iterable<OwnSession>,
): ProcessSelector {
  const belonging = inSessions(sessions);
  return (table) => {
    const isInside = belonging(table);
    return (process) => isMarked(process) || isInside(process);
  };
}

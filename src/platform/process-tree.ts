import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import { RetinueError } from "../errors.ts";
import { endProcesses, familyOf, signal, signalGroups } from "./end-processes.ts";
import { ensureGuard } from "./guard.ts";
import { markDescriptor, markedEnvironment, openMark } from "./marks.ts";
import { readProc, type Process } from "./process-table.ts";

/** How processes are ended, and how many were. Shared with whoever may change his mind about the first meanwhile. */
export interface Ending {
  /** Milliseconds between SIGTERM and SIGKILL; none: SIGKILL at once. */
  graceMs: number;
  died: number;
}

export const defaultGraceMs = 300;

/**
 * All processes that one agent started, and what those started. A process group alone does not hold them: `setsid`
 * leaves it, a double fork loses its parent. So every process inherits marks (`marks.ts`), and belongs to the tree by
 * its marks, by its session or group, or by descent from one that does. What clears its environment, closes what it
 * inherited, leaves its session *and* loses its parent escapes; only a pid namespace holds that.
 */
export class ProcessTree {
  readonly #agent: string;
  readonly #ending: Ending;
  readonly #calls = new WeakMap<ChildProcess, string>();
  /** Sessions whose first group has members, by call. Others are forgotten: the number may go to a stranger. */
  readonly #sessions = new Map<string, number>();
  /** Calls to end something that have not come back, and what they ended: two may be after the same process. */
  readonly #underWay = new Set<Promise<number>>();
  readonly #dead = new Set<string>();
  #used = false;
  #endingAll: Promise<number> | undefined;

  constructor(agent: string, ending: Ending = { graceMs: defaultGraceMs, died: 0 }) {
    this.#agent = agent;
    this.#ending = ending;
  }

  /** Starts a process in a session of its own. Failures to start arrive as the child's `error` event. */
  start(
    file: string,
    args: readonly string[],
    options: {
      cwd: string;
      env: NodeJS.ProcessEnv;
      /** Opens descriptor 3 for what the process has to say besides its output: `stdio[3]`. */
      reports?: boolean;
    },
  ): StartedProcess {
    if (process.platform === "win32") {
      throw new RetinueError(
        "unsupported",
        "Processes cannot be ended surely on Windows. Run Retinue inside WSL.",
      );
    }
    this.#forgetEmptySessions();
    ensureGuard();
    const call = randomUUID();
    const child = startMarked(file, args, { ...options, mark: { agent: this.#agent, call } });
    this.#calls.set(child, call);
    if (child.pid !== undefined) {
      this.#used = true;
      this.#sessions.set(call, child.pid);
      endAtExit(this.#agent, this.#sessions);
      child.once("exit", () => this.#forgetEmptySessions());
    }
    return child;
  }

  /** Ends what one `start` brought into being, gently, then surely. Resolves with how many processes died. */
  async kill(
    child: ChildProcess,
    pace: { readonly graceMs: number } = this.#ending,
  ): Promise<number> {
    const call = this.#calls.get(child);
    if (call === undefined || child.pid === undefined) return 0;
    const session = this.#sessions.get(call);
    return this.#end((process) => process.calls.includes(call) || isIn(process, session), pace);
  }

  /** Ends everything of the agent. Resolves with how many processes died; calling it again does no harm. */
  killAll(pace: { readonly graceMs: number } = this.#ending): Promise<number> {
    if (!this.#used) return Promise.resolve(0);
    this.#endingAll ??= this.#endAll(pace).finally(() => (this.#endingAll = undefined));
    return this.#endingAll;
  }

  async #endAll(pace: { readonly graceMs: number }): Promise<number> {
    const belongs = (process: Process): boolean =>
      process.agents.includes(this.#agent) ||
      this.#sessions.values().some((session) => isIn(process, session));
    const died = await this.#end(belongs, pace);
    // What a call of `kill` finds dead may not be counted yet.
    await Promise.all(this.#underWay);
    this.#dead.clear();
    endedAtExit.delete(this.#agent);
    return died;
  }

  async #end(
    belongs: (process: Process) => boolean,
    pace: { readonly graceMs: number },
  ): Promise<number> {
    const ending = endProcesses(belongs, pace).then((died) => {
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
      if (!signal(-session, 0)) this.#sessions.delete(call);
  }
}

export type StartedProcess = ChildProcessByStdio<null, Readable, Readable>;

function startMarked(
  file: string,
  args: readonly string[],
  options: {
    cwd: string;
    env: NodeJS.ProcessEnv;
    reports?: boolean;
    mark: { agent: string; call: string };
  },
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
      stdio,
    }) as StartedProcess;
  } finally {
    if (mark !== undefined) closeSync(mark);
  }
}

/** Agents that started something and have not ended it yet: agent → its sessions. */
const endedAtExit = new Map<string, ReadonlyMap<string, number>>();
let endsAtExit = false;

/** What agents started goes when this process exits, before it is gone; the guard does it when we cannot. */
function endAtExit(agent: string, sessions: ReadonlyMap<string, number>): void {
  endedAtExit.set(agent, sessions);
  if (!endsAtExit) process.once("exit", killAtExit);
  endsAtExit = true;
}

function killAtExit(): void {
  for (const sessions of endedAtExit.values()) {
    for (const session of sessions.values()) signal(-session, "SIGKILL");
  }
  if (endedAtExit.size === 0 || process.platform !== "linux") return;
  const belongs = ({ agents }: Process): boolean => agents.some((agent) => endedAtExit.has(agent));
  signalGroups(familyOf(readProc(), belongs), "SIGKILL");
}

function isIn(process: Process, session: number | undefined): boolean {
  return session !== undefined && (process.session === session || process.group === session);
}

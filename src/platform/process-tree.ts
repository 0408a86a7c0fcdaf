import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { RetinueError } from "../errors.ts";
import {
  agentVariable,
  callVariable,
  readProc,
  readProcesses,
  type Process,
} from "./process-table.ts";

/**
 * All processes that one agent started, and what those started. A process group alone does not hold them: `setsid`
 * leaves it, a double fork loses its parent. So every process inherits two marks in its environment, the agent's and
 * the call's, and belongs to the tree by its mark, by its session or group, or by descent from one that does.
 * What clears its environment, leaves its session *and* loses its parent escapes; only a pid namespace holds that.
 */
export class ProcessTree {
  readonly #mark: string;
  readonly #calls = new WeakMap<ChildProcess, string>();
  /** Sessions whose first group has members, by call. Others are forgotten: the number may go to a stranger. */
  readonly #sessions = new Map<string, number>();
  #used = false;
  #ending: Promise<number> | undefined;

  constructor(mark: string) {
    this.#mark = mark;
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
    const call = randomUUID();
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: { ...options.env, [agentVariable]: this.#mark, [callVariable]: call },
      detached: true,
      stdio: ["ignore", "pipe", "pipe", ...(options.reports === true ? (["pipe"] as const) : [])],
    }) as StartedProcess;
    this.#calls.set(child, call);
    if (child.pid !== undefined) {
      this.#used = true;
      this.#sessions.set(call, child.pid);
      guard(this.#mark, this.#sessions);
      child.once("exit", () => this.#forgetEmptySessions());
    }
    return child;
  }

  /** Ends what one `start` brought into being, gently, then surely. Resolves with how many processes died. */
  async kill(child: ChildProcess, graceMs: number = defaultGraceMs): Promise<number> {
    const call = this.#calls.get(child);
    if (call === undefined || child.pid === undefined) return 0;
    const session = this.#sessions.get(call);
    const died = await end((process) => process.call === call || isIn(process, session), graceMs);
    this.#forgetEmptySessions();
    return died;
  }

  /** Ends everything of the agent. Resolves with how many processes died; calling it again does no harm. */
  killAll(graceMs: number = defaultGraceMs): Promise<number> {
    if (!this.#used) return Promise.resolve(0);
    this.#ending ??= this.#endAll(graceMs).finally(() => (this.#ending = undefined));
    return this.#ending;
  }

  async #endAll(graceMs: number): Promise<number> {
    const belongs = (process: Process): boolean =>
      process.agent === this.#mark ||
      this.#sessions.values().some((session) => isIn(process, session));
    const died = await end(belongs, graceMs);
    this.#forgetEmptySessions();
    guarded.delete(this.#mark);
    return died;
  }

  #forgetEmptySessions(): void {
    for (const [call, session] of this.#sessions)
      if (!signal(-session, 0)) this.#sessions.delete(call);
  }
}

export type StartedProcess = ChildProcessByStdio<null, Readable, Readable>;

/** Agents that started something and have not ended it yet: mark → their sessions. */
const guarded = new Map<string, ReadonlyMap<string, number>>();
let isGuarding = false;

/** However this process ends, short of `kill -9`, what its agents started goes with it. */
function guard(mark: string, sessions: ReadonlyMap<string, number>): void {
  guarded.set(mark, sessions);
  if (!isGuarding) process.once("exit", killGuarded);
  isGuarding = true;
}

function killGuarded(): void {
  for (const sessions of guarded.values()) {
    for (const session of sessions.values()) signal(-session, "SIGKILL");
  }
  if (guarded.size === 0 || process.platform !== "linux") return;
  const belongs = ({ agent }: Process): boolean => agent !== undefined && guarded.has(agent);
  signalGroups(familyOf(readProc(), belongs), "SIGKILL");
}

const defaultGraceMs = 300;
const limitMs = 5000;

function isIn(process: Process, session: number | undefined): boolean {
  return session !== undefined && (process.session === session || process.group === session);
}

async function end(belongs: (process: Process) => boolean, graceMs: number): Promise<number> {
  const victims = new Set<string>();
  const began = performance.now();
  let alive: Process[] = [];
  /** A process in the middle of `exec` shows no environment, so only the second empty look counts. */
  let emptyLooks = 0;
  let gentle = true;
  for (
    let pauseMs = 2;
    performance.now() - began < graceMs + limitMs;
    pauseMs = Math.min(pauseMs * 2, 50)
  ) {
    const family = familyOf(
      await readProcesses(),
      (process) => belongs(process) || victims.has(identity(process)),
    );
    const newcomers = family.filter((process) => !victims.has(identity(process)));
    for (const process of newcomers) victims.add(identity(process));
    alive = family;
    emptyLooks = alive.length === 0 ? emptyLooks + 1 : 0;
    if (emptyLooks === (victims.size === 0 ? 1 : 2)) break;
    if (performance.now() - began >= graceMs) gentle = false;
    signalGroups(gentle ? newcomers : alive, gentle ? "SIGTERM" : "SIGKILL");
    await setTimeout(pauseMs);
  }
  return victims.size - alive.length;
}

/** Every group of a victim is a victim's own: it lies in a session that `start` or the victim itself opened. */
function signalGroups(victims: readonly Process[], name: NodeJS.Signals): void {
  for (const group of new Set(victims.map((victim) => victim.group))) signal(-group, name);
}

/** Whether there was anything to signal. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

function identity(process: Process): string {
  return `${process.pid} ${process.started}`;
}

function familyOf(table: readonly Process[], belongs: (process: Process) => boolean): Process[] {
  const own = table.find((candidate) => candidate.pid === process.pid);
  const eligible = table.filter(
    ({ pid, group }) => pid > 1 && group > 1 && pid !== process.pid && group !== own?.group,
  );
  const children = Map.groupBy(eligible, (candidate) => candidate.parent);
  const family = new Set(eligible.filter(belongs));
  for (const member of family)
    for (const child of children.get(member.pid) ?? []) family.add(child);
  return [...family];
}

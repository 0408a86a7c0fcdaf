import type { Belonging } from "./end-processes.ts";
import { startOf, startNow, type Process } from "./process-table.ts";

/**
 * The session that a started process leads. Its number is taken while it has a member, and nobody tells when the last
 * one goes: after that a stranger may have it. So once the leader has gone, the session is ours only with a member that
 * carries the mark of its call, or that was there before the leader went. A stranger came later than the last of ours.
 */
export class OwnSession {
  /** Also that of the leader and of its group. */
  readonly number: number;
  readonly #call: string;
  #leftAt: number | undefined;

  constructor(leader: { pid: number; call: string }) {
    this.number = leader.pid;
    this.#call = leader.call;
  }

  /** To be said right when the leader has been waited for: until then nobody else can have its number. */
  leaderLeft(): void {
    this.#leftAt = startNow();
  }

  /** Then it is ours without a look. */
  get isLed(): boolean {
    return this.#leftAt === undefined;
  }

  /** Whether a process is in the session of this number, whoever has it now. */
  has({ session, group }: Process): boolean {
    return session === this.number || group === this.number;
  }

  isOurs(table: readonly Process[]): boolean {
    const leftAt = this.#leftAt;
    if (leftAt === undefined) return true;
    return table.some(
      (process) =>
        this.has(process) && (process.calls.includes(this.#call) || startOf(process) <= leftAt),
    );
  }
}

/**
 * The members of the sessions, for looks in quick succession: a session that was ours at the last one and still has
 * members stays so, even when none of them was there before.
 */
export function inSessions(sessions: () => Iterable<OwnSession>): Belonging {
  let held = new Set<OwnSession>();
  return (table) => {
    const ours = [...sessions()].filter(
      (session) =>
        session.isOurs(table) || (held.has(session) && table.some((found) => session.has(found))),
    );
    held = new Set(ours);
    return (process) => ours.some((session) => session.has(process));
  };
}

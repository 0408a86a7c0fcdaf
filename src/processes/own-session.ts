import type { ProcessSelector } from "./end-processes.ts";
import { startOf, startNow, type Process } from "./process-table.ts";

/**
 * The session that a started process leads. Its number is reserved while it has members, and the system does not report
 * when the last one goes: then a foreign session may get the number. So once the leader is gone, the session is ours
 * only if a member carries the mark of its call, or was there before the leader went. Members of a foreign session came
 * later than our last one.
 */
export class OwnSession {
  /** Number of the session, of its leader and of the leader's group. */
  readonly number: number;
  readonly #call: string;
  #leftAt: number | undefined;

  constructor(leader: { pid: number; call: string }) {
    this.number = leader.pid;
    this.#call = leader.call;
  }

  /**
   * Notes that the leader is gone. Call it right when the leader was reaped: until then no other process can get its
   * number.
   */
  leaderLeft(): void {
    this.#leftAt = startNow();
  }

  /** Whether the leader lives. The session is then ours without a check. */
  get isLed(): boolean {
    return this.#leftAt === undefined;
  }

  /** Whether a process is in the session with this number, ours or foreign. */
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
 * Selects the members of sessions, for snapshots in quick succession: a session that was ours in the last snapshot and
 * still has members stays ours, even if none of them was there before.
 */
export function inSessions(sessions: () => Iterable<OwnSession>): ProcessSelector {
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

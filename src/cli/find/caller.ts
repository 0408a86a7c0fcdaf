import { join } from "node:path";
import { RetinueError } from "../../contract/errors.ts";
import { agentsOf, ancestorsOf } from "../../processes/agents-of.ts";
import { isInLostSession } from "../../processes/lost-session.ts";
import { ownAgents } from "../../processes/own-agents.ts";
import { readProcesses, type Process } from "../../processes/process-table.ts";
import { ledByRetinue } from "../../processes/shown-owner.ts";
import { readLease } from "../../transcript/lease/lease.ts";
import { sessionDirectory, type AgentOnDisk } from "../../transcript/agent-on-disk.ts";

/**
 * The caller of this command: a person or an agent. Serves for an early answer in words that fit the command; the
 * session itself checks every speaker again (`processes/speaker.ts`).
 */
export class Caller {
  readonly #processes: readonly Process[];
  /** The processes above this one, parent first. */
  readonly above: readonly Process[];
  /** The agents whose command this is part of: none when a person typed it. */
  readonly #agents: ReadonlySet<string>;
  /** The session of this process, if an agent may have opened it and that can no longer be checked. */
  readonly #lostSession: number | null;
  /** A Retinue has started this, though no mark of an agent is left. */
  readonly #isStarted: boolean;

  private constructor(processes: readonly Process[]) {
    this.#processes = processes;
    this.above = ancestorsOf(processes, process.pid);
    this.#agents = ownAgents(processes);
    this.#isStarted = ledByRetinue(processes, process.pid).length > 0;
    const self = processes.find(({ pid }) => pid === process.pid);
    this.#lostSession =
      self !== undefined && isInLostSession(self, processes) ? (self.session ?? null) : null;
  }

  static async read(): Promise<Caller> {
    return new Caller(await readProcesses());
  }

  get isPerson(): boolean {
    return this.#agents.size === 0 && !this.#isStarted && this.#lostSession === null;
  }

  /** The error where a person is needed and this is none. */
  refusal(what: string): RetinueError {
    const where =
      this.#agents.size > 0 || this.#isStarted || this.#lostSession === null
        ? "This runs inside an agent"
        : `The process that opened session ${this.#lostSession}, in which this runs, has ended, so this may be a command of an agent`;
    return new RetinueError(
      "invalid_request",
      `${where}, and only a person can ${what}. Use a terminal of your own.`,
    );
  }

  /**
   * Whether the caller may steer an agent. A person steers every agent. An agent steers those of a Retinue that it has
   * started itself, as a program would; to all others, itself among them, it would speak as if it were the user.
   */
  maySteer(agent: AgentOnDisk): boolean {
    if (this.isPerson) return true;
    if (this.#agents.size === 0) return false;
    const found = readLease(join(sessionDirectory(agent.file), "lease.json"));
    if (found.state !== "held") return false;
    const above = agentsOf(this.#processes, found.lease.pid);
    return [...this.#agents].every((id) => above.has(id));
  }

  /** Throws when the caller may not steer the agent. */
  mustSteer(agent: AgentOnDisk): void {
    if (!this.maySteer(agent)) throw this.refusal(`steer agent ${agent.record.id}`);
  }
}

/**
 * Throws inside an agent: only a person does this (`trust a folder`), because it is the user's word or the user's
 * files.
 */
export async function mustBePerson(what: string): Promise<void> {
  const caller = await Caller.read();
  if (!caller.isPerson) throw caller.refusal(what);
}

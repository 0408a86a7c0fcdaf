import type { AgentId } from "../contract/ids.ts";
import type { SpawnRequestInput } from "../contract/spawn-request.ts";
import type { Tasks } from "../tools/agents/tasks.ts";
import type { RunningAgent } from "./running-agent.ts";

/**
 * Other agents of a session, as the run of one agent reaches them. The session implements it above the lifecycle:
 * agents spawn agents, so the pipeline would otherwise need itself.
 */
export interface Family {
  /** Spawns a child, or resumes the one that the request names. */
  spawn(request: SpawnRequestInput, asker: Asker): Promise<RunningAgent>;
  /**
   * Finds the child that this call spawned in an earlier process: ended, in the background, or with `resume` running
   * again.
   */
  childOf(asker: Asker, how: { resume: boolean }): Promise<RunningAgent | undefined>;
  /** Descendants of one agent, as its tools see them. */
  tasksOf(id: AgentId): Tasks;
  /** The type of an agent of the session, running or ended. */
  typeOf(id: string): string | undefined;
  /** The agent type of a name, or the default type without one. */
  typeNamed(name: string | undefined): string;
}

/** The agent that asks for a child. */
export interface Asker {
  readonly id: AgentId;
  readonly toolUseId: string;
  /** Signal of the asker; a foreground child ends with it. */
  readonly signal: AbortSignal;
}

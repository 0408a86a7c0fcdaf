import type { WaitReason } from "../events/event.ts";
import type { SpawnRequestInput } from "../contract/spawn-request.ts";
import type { ChildOutcome } from "../tools/tool.ts";

/**
 * The one seam through which an agent touches the world. An implementation can resume the agent without repeating
 * finished steps: in one process the transcript is the journal, on a fleet the engine is. Pieces of streamed text
 * bypass it.
 */
export interface Steps {
  /**
   * Runs one leaf effect with a JSON result: a model call, the execution of a tool. `key` is unique within the agent.
   * An implementation may return a recorded outcome instead of running `work` again. A step that is not `repeatable` is
   * recorded on disk before its effect, so that "interrupted" and "never started" differ. Rejects as `work` does.
   */
  run<Result>(
    key: string,
    options: { repeatable: boolean },
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** Spawns an agent; never inside `run`. Rejects only if the request is refused. */
  child(key: string, request: SpawnRequestInput, toolUseId: string): Promise<ChildOutcome>;
  /**
   * The outcome of a child that a call requested in an earlier process: its end, or that it works in the background.
   * Undefined if it was interrupted too, or never began. Starts nothing and waits for nothing.
   */
  earlierChild(request: SpawnRequestInput, toolUseId: string): Promise<ChildOutcome | undefined>;
  /** Waits for something outside. Meanwhile the agent holds no slot and its clock is stopped. */
  wait<Result>(key: string, reason: WaitReason, arrival: () => Promise<Result>): Promise<Result>;
  /** The time, in milliseconds. An implementation that replays must return the same again. */
  now(): number;
  /** A number in [0, 1). An implementation that replays must return the same again. */
  random(): number;
}

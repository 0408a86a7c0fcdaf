import type { WaitReason } from "../events/event.ts";
import type { SpawnRequestInput } from "../contract/spawn-request.ts";
import type { ChildOutcome } from "../tools/tool.ts";

/**
 * The one seam through which an agent touches the world. Whoever implements it can resume the agent without repeating
 * what finished: in one process the transcript is the journal, on a fleet the engine is. Pieces of streamed text
 * bypass it.
 */
export interface Steps {
  /**
   * One leaf effect with a JSON result: a model call, the execution of a tool. `key` is unique within the agent.
   * An implementation may hand back a recorded outcome instead of running `work` again. A step that is not
   * `repeatable` is announced on disk before its effect, so that "interrupted" can be told from "never started".
   * Rejects as `work` does.
   */
  run<Result>(
    key: string,
    options: { repeatable: boolean },
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** A spawned agent; never inside `run`. Rejects only when the request is refused. */
  child(key: string, request: SpawnRequestInput, toolUseId: string): Promise<ChildOutcome>;
  /**
   * What has become of an agent that a call asked for in an earlier process: how it ended, or that it works in the background.
   * Nothing if it was interrupted too, or never began. Starts nothing and waits for nobody.
   */
  earlierChild(request: SpawnRequestInput, toolUseId: string): Promise<ChildOutcome | undefined>;
  /** Something that comes from outside. While it waits, the agent holds no slot and its clock stands still. */
  wait<Result>(key: string, reason: WaitReason, arrival: () => Promise<Result>): Promise<Result>;
  /** The time, in milliseconds. An implementation that replays must give the same again. */
  now(): number;
  /** A number in [0, 1). An implementation that replays must give the same again. */
  random(): number;
}

import type { AgentFailure } from "../contract/agent-result.ts";
import type { StopReason } from "../events/event.ts";
import type { WrapUpEnding, WrapUpReason } from "./wrap-up.ts";

/** The next move of the loop after an answer. Pure, so that every way to stop is visible in one place. */
export type Move =
  | { kind: "call-tools" }
  /** The answer was cut off by the provider's length limit: ask for the rest. */
  | { kind: "continue" }
  | { kind: "complete" }
  | { kind: "end"; ending: WrapUpEnding };

export function nextMove(answer: {
  stopReason: StopReason;
  toolCalls: number;
  /** The final text, pieces before a cut included. */
  text: string;
  /** The reason for the report that the agent was asked for in its last turn, if it was. */
  wrapUp: WrapUpReason | undefined;
}): Move {
  if (answer.wrapUp !== undefined) return { kind: "end", ending: answer.wrapUp.ending };
  if (answer.toolCalls > 0) return { kind: "call-tools" };
  if (answer.stopReason === "max_tokens") return { kind: "continue" };
  if (answer.stopReason === "refusal")
    return fail(
      "model_error",
      "The model refused the task. Change the task, or use another model.",
    );
  if (answer.text.trim() === "")
    return fail(
      "empty_result",
      "The agent ended without an answer. Run it again, or look at its transcript.",
    );
  return { kind: "complete" };
}

function fail(code: AgentFailure["code"], message: string): Move {
  return { kind: "end", ending: { kind: "failed", error: { code, message } } };
}

import type { AgentFailure } from "../agent-result.ts";
import type { StopReason } from "../events/event.ts";

/** What the loop does after an answer. Pure, so that every way to stop is visible in one place. */
export type Move =
  | { kind: "call-tools" }
  /** The answer was cut off by the provider's length limit: ask for the rest. */
  | { kind: "continue" }
  | { kind: "complete" }
  | { kind: "fail"; error: AgentFailure };

export function nextMove(answer: {
  stopReason: StopReason;
  toolCalls: number;
  /** The final text, pieces before a cut included. */
  text: string;
  /** This was the extra turn in which the agent was told to report. */
  wrapUp: boolean;
  maxTurns: number;
}): Move {
  if (answer.wrapUp) {
    return fail(
      "max_turns",
      `It did not finish within its limit of turns (${answer.maxTurns}). Give it a smaller task or more turns.`,
    );
  }
  if (answer.toolCalls > 0) return { kind: "call-tools" };
  if (answer.stopReason === "max_tokens") return { kind: "continue" };
  if (answer.stopReason === "refusal") return fail("model_error", "The model refused the task.");
  if (answer.text.trim() === "")
    return fail("empty_result", "It ended without a word. Ask again, or look at its transcript.");
  return { kind: "complete" };
}

function fail(code: AgentFailure["code"], message: string): Move {
  return { kind: "fail", error: { code, message } };
}

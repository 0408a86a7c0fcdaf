import type { AgentFailure } from "../contract/agent-result.ts";
import { errorMessage } from "../contract/errors.ts";

/** The end of an agent that was asked to report, whatever its report says. */
export type WrapUpEnding =
  | { readonly kind: "failed"; readonly error: AgentFailure }
  | { readonly kind: "stopped"; readonly reason: string };

export interface WrapUpReason {
  /** The reason, in words for the model: "Your time is up (30 min)." The request to report follows it. */
  readonly because: string;
  readonly ending: WrapUpEnding;
}

/** The abort reason for work in an ordinary turn, once a report was requested. */
export class Interruption extends Error {
  override readonly name = "Interruption";
}

/**
 * The graceful way to end an agent. A request, at any time, interrupts the current work without ending the run, and the
 * agent gets one last turn to report, in which no tool runs. The first request decides the end.
 */
export class WrapUp {
  /** Signal for the work of an ordinary turn: follows the run's signal, and aborts when a report is requested. */
  readonly working: AbortSignal;
  readonly #interrupt = new AbortController();
  #asked: WrapUpReason | undefined;

  constructor(run: AbortSignal) {
    this.working = AbortSignal.any([run, this.#interrupt.signal]);
  }

  get asked(): WrapUpReason | undefined {
    return this.#asked;
  }

  ask(reason: WrapUpReason): void {
    if (this.#asked !== undefined) return;
    this.#asked = reason;
    const { ending } = reason;
    const message = ending.kind === "failed" ? ending.error.message : ending.reason;
    this.#interrupt.abort(new Interruption(message));
  }
}

export function wrapUpText({ because }: WrapUpReason): string {
  return `${because} Call no more tools. Report now: what you found or did, what is left, and where it stands.`;
}

/** The end without a report: the first cause stays the cause, and nothing is hidden. */
export function endWithoutReport({ ending }: WrapUpReason, error: unknown): WrapUpEnding {
  const why = ` The agent gave no report: ${errorMessage(error)}`;
  if (ending.kind === "stopped") return { kind: "stopped", reason: ending.reason + why };
  return { kind: "failed", error: { ...ending.error, message: ending.error.message + why } };
}

export function turnLimit(maxTurns: number): WrapUpReason {
  const message = `The agent did not finish within its limit of ${maxTurns} turns. Give it a smaller task or more turns.`;
  return {
    because: "You have used all your turns.",
    ending: { kind: "failed", error: { code: "max_turns", message } },
  };
}

export function timeLimit(limit: string): WrapUpReason {
  const message = `The agent ran longer than ${limit}. Give it a smaller task or more time.`;
  return {
    because: `Your time is up (${limit}). What was under way was interrupted.`,
    ending: { kind: "failed", error: { code: "timeout", message } },
  };
}

export function noProgress(limit: string): WrapUpReason {
  const message = `The agent made no progress for ${limit}: nothing that it said or read was new. Look at its transcript.`;
  return {
    because: `There has been no progress for ${limit}: nothing that you said or read was new. What was under way was interrupted.`,
    ending: { kind: "failed", error: { code: "stalled", message } },
  };
}

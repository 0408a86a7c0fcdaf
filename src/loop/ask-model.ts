import type { Message } from "../contract/message.ts";
import type { Priced } from "../model/metered.ts";
import type { ModelAnswer } from "../model/model.ts";
import { callModel } from "./call-model.ts";
import { spokenTime } from "./ladder.ts";
import type { LoopContext } from "./loop-context.ts";
import { endWithoutReport, type WrapUpEnding, type WrapUpReason } from "./wrap-up.ts";

export type Asked =
  | { kind: "answer"; answer: Priced<ModelAnswer> }
  /** A report was requested meanwhile. The arrived part of the answer is dropped, and the model is asked again. */
  | { kind: "interrupted" }
  /** The last turn ended without a report. */
  | { kind: "end"; ending: WrapUpEnding };

/** Asks for the answer of one turn. Throws the model's error, and `signal.reason` if the run was aborted. */
export async function askModel(
  context: LoopContext,
  request: {
    messages: readonly Message[];
    turn: number;
    /** Set in the last turn. */
    wrapUp: WrapUpReason | undefined;
  },
): Promise<Asked> {
  const { messages, turn, wrapUp } = request;
  if (wrapUp !== undefined) return askForReport(context, { messages, turn, wrapUp });
  try {
    const working = { ...context, signal: context.wrapUp.working };
    return { kind: "answer", answer: await callModel(working, messages, turn) };
  } catch (error) {
    context.signal.throwIfAborted();
    if (context.wrapUp.asked === undefined) throw error;
    return { kind: "interrupted" };
  }
}

async function askForReport(
  context: LoopContext,
  request: { messages: readonly Message[]; turn: number; wrapUp: WrapUpReason },
): Promise<Asked> {
  const { messages, turn, wrapUp } = request;
  const { signal, limits, clock } = context;
  const overdue = new AbortController();
  const message = `it took longer than ${spokenTime(limits.wrapUpTimeout)} to write one.`;
  const late = (): void => overdue.abort(new Error(message));
  const cancel = clock.schedule(late, limits.wrapUpTimeout);
  try {
    const bounded = { ...context, signal: AbortSignal.any([signal, overdue.signal]) };
    return { kind: "answer", answer: await callModel(bounded, messages, turn) };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "end", ending: endWithoutReport(wrapUp, error) };
  } finally {
    cancel();
  }
}

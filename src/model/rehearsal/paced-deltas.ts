import { setTimeout } from "node:timers/promises";
import type { ModelDelta, TextDelta } from "../model.ts";
import { longestTimer } from "../../contract/longest-timer.ts";

/** A piece of an answer: about a word, or the whole input of a tool call, which takes time but is not shown. */
export interface AnswerPiece {
  tokens: number;
  delta: ModelDelta | undefined;
}

/** Yields the pieces at `speed` tokens a second (0: at once). Throws `signal.reason` on abort. */
export async function* pacedDeltas(
  pieces: readonly AnswerPiece[],
  speed: number,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta, void> {
  const start = performance.now();
  let tokens = 0;
  for (const piece of pieces) {
    tokens += piece.tokens;
    if (speed > 0) await sleepUntil(start + (tokens * 1000) / speed, signal);
    signal.throwIfAborted();
    if (piece.delta !== undefined) yield piece.delta;
    signal.throwIfAborted();
  }
}

/** Never returns: throws `signal.reason` on abort, and holds nothing open until then. */
export async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
  throw signal.reason;
}

export function piecesOfText(type: TextDelta["type"], text: string): AnswerPiece[] {
  const words = text.match(/\s*\S+\s*|\s+/g) ?? [];
  return words.map((word) => ({ tokens: tokensOf(word), delta: { type, text: word } }));
}

/** Estimates tokens, at about four bytes each: near enough for a script. */
export function tokensOf(text: string): number {
  return Buffer.byteLength(text) / 4;
}

async function sleepUntil(time: number, signal: AbortSignal): Promise<void> {
  const delay = time - performance.now();
  // A timer cannot wait less than a millisecond; sleeping only when behind keeps high speeds accurate.
  if (delay < 1) return;
  try {
    await setTimeout(Math.min(delay, longestTimer), undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

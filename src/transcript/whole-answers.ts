import type { AnswerRecord } from "../events/event.ts";
import type { TranscriptEntry } from "./reader.ts";

/** An entry of a transcript, with each answer as one entry. */
export type WholeEntry =
  | Exclude<TranscriptEntry, { kind: "answer" }>
  | { kind: "answer"; answer: AnswerRecord; costUsd: number | null; at: string };

/** Joins the entries of each answer, which has one for each of its blocks. */
export function wholeAnswers(entries: readonly TranscriptEntry[]): WholeEntry[] {
  const whole: WholeEntry[] = [];
  let open: AnswerRecord | undefined;
  for (const entry of entries) {
    if (entry.kind !== "answer") {
      whole.push(entry);
      continue;
    }
    const { id, requestId, model, stopReason, usage, block, costUsd, at } = entry;
    if (open?.id !== id) {
      const message = { role: "assistant" as const, content: [] };
      open = { id, requestId, model, stopReason, usage, message };
      whole.push({ kind: "answer", answer: open, costUsd, at });
    }
    if (block !== undefined) open.message.content.push(block);
  }
  return whole;
}

import { open, type FileHandle } from "node:fs/promises";
import { systemCode } from "../contract/errors.ts";
import { entriesIn, lastAnswerWithText, lastTextOf, type TranscriptEntry } from "./reader.ts";

/** Bytes of the first read: they hold most results, with the answer that they are. */
const firstLook = 64 * 1024;

/** The text of an ended agent's result. It is at the end of the transcript, so a long one is not read as a whole. */
export async function readResultText(path: string, look: number = firstLook): Promise<string> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    for (let length = look; ; length *= 8) {
      const from = Math.max(0, size - length);
      const entries = entriesIn(await wholeLines(file, from, size));
      if (from === 0 || tellResult(entries)) return resultTextOf(entries);
    }
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    return "";
  }
}

async function wholeLines(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
  return bytes.subarray(from === 0 ? 0 : bytes.indexOf(0x0a) + 1, bytesRead);
}

function resultTextOf(entries: readonly TranscriptEntry[]): string {
  const end = entries.findLast((entry) => entry.kind === "end");
  return end?.result.content ?? lastTextOf(entries);
}

/** Whether no earlier line can be part of the text. */
function tellResult(entries: readonly TranscriptEntry[]): boolean {
  const end = entries.findLast((entry) => entry.kind === "end");
  if (end?.result.content !== undefined) return true;
  const last = lastAnswerWithText(entries);
  const isOfIt = (entry: TranscriptEntry): boolean =>
    entry.kind === "answer" && entry.id === last?.id;
  return end !== undefined && last !== undefined && entries.findIndex(isOfIt) > 0;
}

import { readFile } from "node:fs/promises";
import { judgeLines, type BadLine } from "./lines/judge-lines.ts";

export interface TranscriptInspection {
  /** The number of valid lines. */
  lines: number;
  /** Lines that readers skip. They stay in the file. */
  bad: Pick<BadLine, "line" | "reason">[];
  /** Bytes at the end that were never acknowledged; the next append cuts them off. */
  torn: number;
}

/** Reports the problems of a transcript and changes nothing. Throws the file system's error. */
export async function inspectTranscript(path: string): Promise<TranscriptInspection> {
  const bytes = await readFile(path);
  const { lines, bad, end } = judgeLines(bytes);
  return {
    lines,
    bad: bad.filter(({ start }) => start < end).map(({ line, reason }) => ({ line, reason })),
    torn: bytes.length - end,
  };
}

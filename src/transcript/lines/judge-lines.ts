import { readSeal, sumHolds, type Seal } from "./line-sum.ts";

/** The place of an invalid line, and the reason. */
export interface BadLine {
  /** Line number from 1. */
  line: number;
  /** Offset in bytes; `end` is before the newline. */
  start: number;
  end: number;
  reason: BadReason;
}

type BadReason = "not JSON" | "NUL bytes" | "sum does not hold" | "of an unfinished append";

export interface Judgement {
  /** The number of valid lines. */
  lines: number;
  /** Bad lines in file order. */
  bad: BadLine[];
  /** The offset at which the file should end. Bytes after it were never acknowledged. */
  end: number;
  /** Newlines before `end`. */
  newlines: number;
}

/**
 * Separates valid lines from invalid ones. Ours are valid if their sum matches and their append arrived whole; those of
 * other programs if they parse. `take` gets the values of valid lines, in order.
 */
export function judgeLines(
  bytes: Buffer,
  { take, firstLine = 1 }: { take?: (value: unknown) => void; firstLine?: number } = {},
): Judgement {
  const seal: Seal = { n: 0, of: 0, holds: false };
  const judged: Judgement = { lines: 0, bad: [], end: 0, newlines: 0 };
  const { bad } = judged;
  let group: AppendGroup | undefined;
  let line = firstLine - 1;

  const countsUpTo = (end: number): void => {
    judged.end = end;
    judged.newlines = line - firstLine + 1;
  };
  const refuse = (start: number, end: number, reason: BadReason): void => {
    bad.push({ line, start, end, reason });
    if (group !== undefined) group.spoilt += 1;
    // A whole line of another program is not ours to cut off.
    else if (reason === "not JSON") countsUpTo(end + 1);
  };
  /** Closes the group when something else follows: the append ends here. */
  const closeGroup = (): void => {
    if (group === undefined) return;
    if (group.last + group.spoilt >= group.of) {
      judged.lines += group.lines.length;
      for (const { value } of group.lines) take?.(value);
    } else for (const { at } of group.lines) bad.push(at);
    group = undefined;
  };

  let next = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, next)) {
    let start = next;
    next = end + 1;
    line += 1;
    if (start === end) {
      if (judged.end === start) countsUpTo(next);
      continue;
    }
    const sealed = readSeal(bytes, start, end, seal);
    if (sealed && !seal.holds) {
      const whole = wholeLineIn(bytes, start, end);
      refuse(start, whole === -1 ? end : whole, reasonOf(bytes, start, end));
      if (whole === -1) continue;
      start = whole;
    }
    let value: unknown;
    if (!sealed || take !== undefined) {
      try {
        value = JSON.parse(bytes.toString("utf8", start, end));
      } catch {
        refuse(start, end, bytes.subarray(start, end).includes(0) ? "NUL bytes" : "not JSON");
        continue;
      }
    }
    const goesOn = sealed && group !== undefined && seal.of === group.of && seal.n > group.last;
    if (!goesOn) closeGroup();
    if (sealed && seal.n === 1 && seal.of > 1) {
      group = { of: seal.of, last: 0, spoilt: 0, lines: [] };
    }
    if (group !== undefined) {
      const at = { line, start, end, reason: "of an unfinished append" } as const;
      group.lines.push({ at, value });
      group.last = seal.n;
      group.spoilt = 0;
      if (seal.n < seal.of) continue;
      closeGroup();
    } else {
      judged.lines += 1;
      take?.(value);
    }
    countsUpTo(next);
  }
  // A power cut and a failing disk look the same: not all of the cut part is ours to throw away.
  if (group !== undefined && group.spoilt > 0) bad.push(...group.lines.map(({ at }) => at));
  bad.sort((a, b) => a.start - b.start);
  return judged;
}

/** Lines that were appended together, as far as they were found. */
interface AppendGroup {
  of: number;
  last: number;
  /** Bad lines since the last good one: they may be the ones that are missing. */
  spoilt: number;
  lines: { at: BadLine; value: unknown }[];
}

function reasonOf(bytes: Buffer, start: number, end: number): BadReason {
  return bytes.subarray(start, end).includes(0) ? "NUL bytes" : "sum does not hold";
}

const mostTries = 1000;

/**
 * The start of a whole line that follows a torn one without a newline between them, as two writers leave it; else -1.
 */
function wholeLineIn(bytes: Buffer, start: number, end: number): number {
  let at = start;
  for (let tries = 0; tries < mostTries; tries += 1) {
    at = bytes.indexOf('{"', at + 1);
    if (at === -1 || at >= end) return -1;
    if (sumHolds(bytes, at, end)) return at;
  }
  return -1;
}

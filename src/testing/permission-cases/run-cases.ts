import { setImmediate } from "node:timers/promises";
import { judgeCase, type JudgedCase } from "./judge-case.ts";
import { readCases } from "./read-cases.ts";

export interface CaseReport {
  readonly file: string;
  readonly cases: number;
  /** Cases whose decision is not the expected one, in their order. */
  readonly mismatches: readonly JudgedCase[];
}

/**
 * Compares every case of a file with its expected decision. Runs none of the calls. Throws `invalid_config` for a file
 * that is no file of cases, and the signal's reason between two cases.
 */
export async function runPermissionCases(
  file: string,
  options: { signal?: AbortSignal } = {},
): Promise<CaseReport> {
  const { cases, rules } = readCases(file);
  const mismatches: JudgedCase[] = [];
  for (const one of cases) {
    // Lets a signal arrive: deciding itself never waits.
    await setImmediate();
    options.signal?.throwIfAborted();
    const judged = await judgeCase(one, { source: file, rules });
    if (judged.decision.verdict !== judged.expected) mismatches.push(judged);
  }
  return { file, cases: cases.length, mismatches };
}

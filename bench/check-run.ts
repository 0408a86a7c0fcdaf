import type { FakeModel } from "./fake-model.ts";
import type { Measurement } from "./measure.ts";
import { toolResults } from "./messages-request.ts";
import {
  fileName,
  filesPerChild,
  finalAnswer,
  numbers,
  reportOf,
  workloads,
  type Workload,
} from "./script.ts";

/**
 * Reasons why a run does not count; empty when it does. Every line of every file must have reached the model, every
 * child's report the main agent, and the final answer the user.
 */
export function problemsOf(run: {
  workload: Workload;
  model: FakeModel;
  measurement: Measurement;
  files: ReadonlyMap<string, string>;
}): string[] {
  const { exchanges, refusals } = run.model;
  const { exit, stdout, stderr } = run.measurement;
  const problems = refusals.map((refusal) => `refused ${refusal}`);
  if (exit !== 0) problems.push(`ended with ${exit}: ${endOf(stderr)}`);
  if (!stdout.includes(finalAnswer)) problems.push("the final answer was not printed");

  const readByMain = resultsOf(({ kind }) => kind === "main");
  for (const child of numbers(workloads[run.workload])) {
    if (!readByMain.includes(reportOf(child))) {
      problems.push("a child's report did not reach the main agent");
    }
    const readByChild = resultsOf((speaker) => speaker.kind === "child" && speaker.child === child);
    for (const step of numbers(filesPerChild)) {
      const lines = run.files.get(fileName(child, step))?.split("\n") ?? [];
      if (!lines.every((line) => readByChild.includes(line))) {
        problems.push("the content of a file did not reach the model");
      }
    }
  }
  return [...new Set(problems)];

  function resultsOf(
    isWanted: (speaker: FakeModel["exchanges"][number]["speaker"]) => boolean,
  ): string {
    const last = exchanges.findLast(({ speaker }) => isWanted(speaker));
    return last === undefined ? "" : toolResults(last.request).join("\n");
  }
}

function endOf(text: string): string {
  return text.trim().slice(-300).replaceAll("\n", " / ");
}

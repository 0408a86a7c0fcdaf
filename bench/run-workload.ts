import { problemsOf } from "./check-run.ts";
import type { Exchange, FakeModel } from "./fake-model.ts";
import { measure } from "./measure.ts";
import type { Program } from "./programs.ts";
import { mainPrompt, type Workload } from "./script.ts";
import type { Workspace } from "./workspace.ts";

/** One program doing one workload once. */
export interface Run {
  wallMs: number;
  /** Milliseconds from the start of the process to the arrival of its first request. */
  firstRequestMs: number;
  cpuMs: number;
  peakMiB: number;
  requests: number;
  /** Children that answered the model's questions to the end. */
  childrenAnswered: number;
  /** The most children between their first request and their last answer. */
  childrenAtOnce: number;
  /** Reasons why the run does not count; empty when it does. */
  problems: string[];
}

export async function runWorkload(
  program: Program,
  workload: Workload,
  { model, workspace }: { model: FakeModel; workspace: Workspace },
): Promise<Run> {
  model.reset();
  const measurement = await measure(
    program.command({ url: model.url, prompt: mainPrompt(workload), workload, workspace }),
  );
  const { wallMs, cpuMs, peakMiB, startedAt } = measurement;
  const { exchanges } = model;
  const problems = problemsOf({ workload, model, measurement, files: workspace.files });
  const spans = childSpans(exchanges);
  return {
    wallMs,
    firstRequestMs: Math.min(...exchanges.map(({ arrivedAt }) => arrivedAt)) - startedAt,
    cpuMs,
    peakMiB,
    requests: exchanges.length,
    childrenAnswered: spans.length,
    childrenAtOnce: mostAtOnce(spans),
    problems,
  };
}

interface Span {
  from: number;
  to: number;
}

function childSpans(exchanges: readonly Exchange[]): Span[] {
  const children = exchanges.filter(({ speaker }) => speaker.kind === "child");
  const byChild = Map.groupBy(children, ({ speaker }) => "child" in speaker && speaker.child);
  return [...byChild.values()].map((own) => ({
    from: Math.min(...own.map(({ arrivedAt }) => arrivedAt)),
    to: Math.max(...own.map(({ answeredAt }) => answeredAt)),
  }));
}

/** The most spans at once: that number is reached at the start of some span. */
function mostAtOnce(spans: readonly Span[]): number {
  const counts = spans.map(
    ({ from }) => spans.filter((span) => span.from <= from && from < span.to).length,
  );
  return Math.max(0, ...counts);
}

import type { TraceLine } from "../../permissions/decide.ts";
import type { Decision, SourcedRule } from "../../permissions/decision.ts";
import type { WouldAllow } from "../../permissions/rules/would-allow.ts";
import { literalLine } from "../terminal/literal.ts";
import type { Labelled } from "./labelled-lines.ts";

/** A decision with the way to it, for people. */
export function decisionRows({
  decision,
  trace,
  wouldAllow = { rules: decision.suggestions, note: null },
}: {
  decision: Decision;
  trace: readonly TraceLine[];
  wouldAllow?: WouldAllow;
}): Labelled[] {
  const { rule, part, confinedTo } = decision;
  const { rules, note } = wouldAllow;
  const rows: Labelled[] = [
    ["reason", [decision.reason]],
    ["rule", rule === null ? [] : [`${rule.kind} '${rule.rule}'  (${rule.source})`]],
    ["part", part === null ? [] : [part]],
    ["sandbox", confinedTo === null ? [] : [`tight, to ${confinedTo}, where bubblewrap works`]],
    ["stages", trace.map(stageLine)],
    ["would allow", [...rules, ...(note === null ? [] : [note])]],
  ];
  return rows.map(([name, texts]) => [name, texts.map(literalLine)]);
}

function stageLine({ stage, finding }: TraceLine): string {
  return finding === null ? `${stage}: nothing` : `${stage}: ${finding.verdict}. ${finding.reason}`;
}

/** The same as data, without the parsed form of rules. */
export function decisionData({
  decision,
  trace,
}: {
  decision: Decision;
  trace: readonly TraceLine[];
}): object {
  return {
    decision: { ...decision, rule: written(decision.rule) },
    trace: trace.map(({ stage, finding }) => ({
      stage,
      finding:
        finding === null
          ? null
          : {
              verdict: finding.verdict,
              reason: finding.reason,
              part: finding.part ?? null,
              rule: written(finding.rule ?? null),
            },
    })),
  };
}

function written(given: SourcedRule | null): SourcedRule | null {
  return given === null ? null : { kind: given.kind, rule: given.rule, source: given.source };
}

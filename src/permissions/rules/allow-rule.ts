import type { SourcedRule } from "../../contract/resolved-agent.ts";

/** A rule that allows, and who gave it. */
export function allowRule(rule: string, source: string): SourcedRule {
  return { kind: "allow", rule, source };
}

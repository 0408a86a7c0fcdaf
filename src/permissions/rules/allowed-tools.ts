import { RetinueError } from "../../contract/errors.ts";
import type { SourcedRule } from "../../contract/resolved-agent.ts";
import { allowRule } from "./allow-rule.ts";
import { ruleProblem } from "./rule-problem.ts";

/** The rules that a user or host gives for what may run unasked. One that would allow nothing is an error. */
export function parseAllowedTools(entries: readonly string[], source: string): SourcedRule[] {
  return entries.map((rule) => {
    const problem = ruleProblem("allow", rule);
    if (problem !== null) throw new RetinueError("invalid_config", `allowedTools: ${problem}`);
    return allowRule(rule, source);
  });
}

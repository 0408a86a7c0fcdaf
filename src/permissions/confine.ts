import { allowRule } from "./rules/allow-rule.ts";
import { runsOnly } from "./bash/coverage.ts";
import { writesFile } from "./bash/line-files.ts";
import { knownTool } from "../tools/known-tools.ts";
import { isAboutFiles } from "../tools/traits.ts";
import type { ViewedCall } from "./call.ts";
import { matchesDomain } from "./rules/domain.ts";
import type { Rulebook } from "./policy.ts";
import { parseRule, type Rule } from "./rules/rule.ts";

/** Why the agent's mode or definition keeps it from a call. What it is confined to is not granted by that. */
export function isConfinedOut(call: ViewedCall, book: Rulebook): string | null {
  if (book.policy.mode === "delegate" && knownTool(call.tool).coordinates !== true)
    return `${call.tool} is not for an agent that only delegates. Give the work to another agent.`;
  const out = book.policy.confined
    .filter((one) => "rules" in one)
    .find(
      ({ tools, rules }) => tools.includes(call.tool) && !stays(rules.map(confining), call, book),
    );
  if (out === undefined) return null;
  return `The agent's definition confines ${call.tool} to ${out.rules.map((rule) => `'${rule}'`).join(", ")}. Keep to that, or report what is missing.`;
}

function confining(rule: string): Rule {
  return parseRule(allowRule(rule, "the definition"));
}

function stays(rules: readonly Rule[], call: ViewedCall, book: Rulebook): boolean {
  // A command that is confined writes no file besides.
  if (call.bash !== null)
    return runsOnly(call.bash, rules, book) && !call.bash.reach.redirections.some(writesFile);
  return rules.some((rule) => {
    if (rule.specifier === null) return true;
    if (call.tool === "WebFetch") return matchesDomain(rule.specifier, call.input["url"]);
    return (
      isAboutFiles(call.effect) &&
      call.pairs.length > 0 &&
      call.pairs.every((pair) => book.fits(rule, pair))
    );
  });
}

/** Tools that an agent has only for its memory. */
export function isOutsideMemory(call: ViewedCall, book: Rulebook): string | null {
  const { memory } = book.policy;
  if (memory === null || !memory.tools.includes(call.tool)) return null;
  const isThere = call.pairs.length > 0 && call.pairs.every((pair) => book.isInMemory(pair));
  if (isThere) return null;
  return memory.directory === null
    ? `${call.tool} is only for the agent's memory, which it does not have any more: 'retinue explain' of its type says why.`
    : `${call.tool} is only for the agent's memory in ${memory.directory}. Name it in 'tools' to use it elsewhere.`;
}

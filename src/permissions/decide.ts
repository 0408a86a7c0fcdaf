import type { PermissionPolicy } from "../resolved-agent.ts";
import { isInside } from "../platform/is-inside.ts";
import { isForbidden, toolsOfRule } from "./forbidden.ts";

export type Decision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string };

/** Tools that only look. Inside the readable directories they need no approval. */
const readers: ReadonlySet<string> = new Set(["Read", "Glob", "Grep"]);

/** Tools that touch nothing of the user's. What a child does is decided when it does it, by its parent's rules. */
const harmless: ReadonlySet<string> = new Set(["Agent", "ExitPlanMode", "TodoWrite"]);

/** Tools that can change files. Bash is one: which commands only look is not known yet. */
const changers: ReadonlySet<string> = new Set(["Bash", "Edit", "Write", "NotebookEdit"]);

/**
 * May this call run? Pure: the caller gives each path as it was written and as it is after resolving links, and both
 * must lie inside. What is not allowed is denied with the remedy; nothing is ever allowed by accident.
 */
export function decide(
  policy: PermissionPolicy,
  call: { tool: string; paths: readonly { given: string; real: string }[] },
): Decision {
  const forbidding = policy.forbidding.find((rule) => isForbidden(rule, call, policy.ruleRoots));
  if (forbidding !== undefined) {
    const { kind, rule } = forbidding;
    const why = kind === "deny" ? "deny" : "want somebody to be asked, and nobody can be";
    return {
      allowed: false,
      reason: `The settings ${why}: '${rule}'. Do without ${call.tool} here.`,
    };
  }
  if (policy.mode === "plan" && changers.has(call.tool)) {
    return {
      allowed: false,
      reason: `${call.tool} can change files, and this agent only plans. Report what should change.`,
    };
  }
  if (policy.memory?.tools.includes(call.tool) === true) {
    const { directory } = policy.memory;
    const inside = call.paths.every(
      ({ given, real }) => isInside(directory, given) && isInside(directory, real),
    );
    const reason = `${call.tool} is only for the agent's memory in ${directory}. Name it in 'tools' to use it elsewhere.`;
    if (!inside || call.paths.length === 0) return { allowed: false, reason };
  }
  const rule = Object.hasOwn(policy.confined, call.tool) ? policy.confined[call.tool] : undefined;
  if (rule !== undefined) {
    return {
      allowed: false,
      reason: `The agent's definition confines ${call.tool} to '${rule}', and this version cannot check rules. Name ${call.tool} without a rule in its 'tools' to allow all of it.`,
    };
  }
  if (policy.allowedTools.some((rule) => toolsOfRule(rule).includes(call.tool))) {
    return { allowed: true };
  }
  if (policy.mode === "bypassPermissions" || harmless.has(call.tool)) return { allowed: true };
  const remedy = `Allow it with --allowedTools ${call.tool} (or the option allowedTools).`;
  if (!readers.has(call.tool)) {
    return { allowed: false, reason: `${call.tool} is not allowed here. ${remedy}` };
  }
  const readable = (path: string): boolean =>
    policy.readableDirectories.some((dir) => isInside(dir, path));
  const outside = call.paths.find((path) => !readable(path.given) || !readable(path.real));
  if (outside === undefined) return { allowed: true };
  return { allowed: false, reason: `${outside.given} is outside the working directory. ${remedy}` };
}

/** Confinements as they bind children: also of the tools that a rule for the confined one covers. */
export function inheritedConfinement(
  confined: Readonly<Record<string, string>>,
): Record<string, string> {
  const spread = Object.entries(confined).flatMap(([tool, rule]) =>
    toolsOfRule(tool).map((name) => [name, rule] as const),
  );
  return Object.fromEntries(spread);
}

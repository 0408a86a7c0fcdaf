import type { Forbidding } from "../resolved-agent.ts";
import { realPath } from "../platform/real-path.ts";
import { toolName, toolRegistry } from "../tools/registry.ts";
import { matchesPath, pathRules, type PathRule } from "./path-rule.ts";

export function parseForbidding(rules: {
  deny: readonly string[];
  ask: readonly string[];
}): Forbidding[] {
  return (["deny", "ask"] as const).flatMap((kind) =>
    [...new Set(rules[kind])].map((rule) => ({ rule, kind, ...partsOf(rule) })),
  );
}

/** Read rather too strictly: in any case of letters, and a bracket that is not closed is about the whole tool. */
export function partsOf(rule: string): Pick<Forbidding, "tool" | "specifier"> {
  const [, named = "", inner] = /^([^(]*)(?:\((.*)\))?/s.exec(rule.trim()) ?? [];
  const specifier = inner === undefined || /^\**$/.test(inner.trim()) ? null : inner.trim();
  const name = toolName(named);
  const meant = toolRegistry.keys().find((tool) => tool.toLowerCase() === name.toLowerCase());
  return { tool: meant ?? name, specifier };
}

/** A rule for the first also covers the others. */
const covers: ReadonlyMap<string, readonly string[]> = new Map([
  ["Edit", ["Write", "NotebookEdit"]],
  ["Read", ["Glob", "Grep"]],
]);

/** The tools that a rule for this one is about. */
export function toolsOfRule(tool: string): readonly string[] {
  return [tool, ...(covers.get(tool) ?? [])];
}

export function isAbout(rule: Pick<Forbidding, "tool">, tool: string): boolean {
  return rule.tool === "*" || toolsOfRule(rule.tool).includes(tool);
}

/** Only of these is the specifier a path. Types of agents are the catalog's business. */
export function isChecked({ tool, specifier }: Forbidding): boolean {
  return specifier === null || tool === "Read" || tool === "Edit" || tool === "Agent";
}

/**
 * Whether a rule may be about a call. Paths are compared; every other specifier is taken to fit: this version cannot
 * tell, and a rule that somebody wrote to be safe must not be passed over.
 */
export function isForbidden(
  rule: Forbidding,
  call: { tool: string; paths: readonly { given: string; real: string }[] },
  roots: readonly string[],
): boolean {
  if (!isAbout(rule, call.tool)) return false;
  if (rule.specifier === null || !isChecked(rule)) return true;
  if (rule.tool === "Agent") return false;
  const rules = compiled(rule.specifier, roots);
  return call.paths.some(({ given, real }) =>
    rules.some((one) => matchesPath(one, given) || matchesPath(one, real)),
  );
}

/** Whether searches must keep a path to themselves; nothing where no rule is about any path. */
export function hiddenFromSearches(
  forbidding: readonly Forbidding[],
  roots: readonly string[],
): ((path: string) => boolean) | undefined {
  const rules = forbidding.filter(({ tool, specifier }) => tool === "Read" && specifier !== null);
  if (rules.length === 0) return undefined;
  return (path) => {
    const paths = [{ given: path, real: realPath(path) }];
    return rules.some((rule) => isForbidden(rule, { tool: "Read", paths }, roots));
  };
}

const compiledRules = new Map<string, PathRule[]>();
const mostCompiled = 10_000;

/** Rules are asked before every call, and looking up links takes time. */
function compiled(specifier: string, roots: readonly string[]): PathRule[] {
  const key = [specifier, ...roots].join("\0");
  const known = compiledRules.get(key);
  if (known !== undefined) return known;
  const rules = pathRules(specifier, roots);
  if (compiledRules.size < mostCompiled) compiledRules.set(key, rules);
  return rules;
}

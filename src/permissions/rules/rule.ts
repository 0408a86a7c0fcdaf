import { knownTool } from "../../tools/known-tools.ts";
import { toolName, toolRegistry } from "../../tools/registry.ts";
import { ruleFamily, type Effect } from "../../tools/traits.ts";
import { commandPattern, type CommandPattern } from "../bash/pattern.ts";
import type { RuleKind, SourcedRule } from "../decision.ts";
import { globMatches } from "./glob-match.ts";

/** A rule, taken apart once. */
export interface Rule extends SourcedRule {
  /** The name in front of the parentheses, without aliases; may hold `*` in rules that forbid. */
  readonly tool: string;
  /** Text between the parentheses; `null`: the whole tool. */
  readonly specifier: string | null;
  /** The specifier, as a pattern of commands. */
  readonly pattern: CommandPattern | null;
}

export function parseRule(sourced: SourcedRule): Rule {
  const { tool, specifier } = partsOf(sourced);
  const isForBash = specifier !== null && globMatches(tool, "Bash");
  return { ...sourced, tool, specifier, pattern: isForBash ? commandPattern(specifier) : null };
}

/**
 * Rules that forbid are read rather too strictly: in any case of letters, and a bracket that is not closed is about the whole
 * tool. Rules that allow are read as they stand.
 */
function partsOf({
  rule,
  kind,
}: Pick<SourcedRule, "rule" | "kind">): Pick<Rule, "tool" | "specifier"> {
  const [, named = "", inner, rest] = /^([^(]*)(?:\((.*)\))?(.*)$/s.exec(rule.trim()) ?? [];
  const specifier = inner === undefined || /^\**$/.test(inner.trim()) ? null : inner.trim();
  const name = toolName(named);
  if (kind === "allow") {
    // A bracket that is not closed, or text behind it, says something that is not understood: it allows nothing.
    return { tool: rest === "" ? name : "", specifier };
  }
  // An empty prefix is that of every command.
  if (specifier !== null && /^:\*+$/.test(specifier)) return partsOf({ rule: named, kind });
  const known = toolRegistry.keys().find((tool) => tool.toLowerCase() === name.toLowerCase());
  return { tool: known ?? name, specifier };
}

/**
 * Whether the name in front of a rule's parentheses means this tool. A rule for `Edit` or `Read` is about every tool of that
 * effect.
 */
export function isAbout(
  { tool: named, kind }: Pick<Rule, "tool" | "kind">,
  tool: string,
  effect: Effect = knownTool(tool).effect,
): boolean {
  if (named === tool || named === ruleFamily(effect)) return true;
  if (kind !== "allow" && named.toLowerCase() === tool.toLowerCase()) return true;
  if (isServerOf(named, kind, tool)) return true;
  return named.includes("*") && mayGlob(named, kind) && globMatches(named, tool);
}

/** `mcp__server` is all tools of exactly that server. A server's own name may have `__` in it, where that forbids more. */
function isServerOf(named: string, kind: RuleKind, tool: string): boolean {
  const isServer = kind === "allow" ? /^mcp__(?:(?!__).)+$/ : /^mcp__./;
  return isServer.test(named) && tool.startsWith(`${named}__`);
}

/** An allow rule may use stars only behind the name of a server. */
function mayGlob(named: string, kind: RuleKind): boolean {
  return kind !== "allow" || /^mcp__(?:(?!__)[^*])+__/.test(named);
}

/** The field that a tool's own specifier is about, which no parameter rule can name. */
const primaryFields: ReadonlySet<string> = new Set([
  "command",
  "file_path",
  "path",
  "notebook_path",
  "url",
]);

/** `Tool(param:value)`: whether a plain value at the top of the input fits. Only for rules that forbid. */
export function matchesParameter(rule: Rule, input: Readonly<Record<string, unknown>>): boolean {
  const [, name = "", wanted = ""] = /^(\w+):(.*)$/s.exec(rule.specifier ?? "") ?? [];
  if (rule.kind === "allow" || name === "" || primaryFields.has(name)) return false;
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    return false;
  return globMatches(wanted, String(value));
}

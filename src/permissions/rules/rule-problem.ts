import { existsSync } from "node:fs";
import { closest } from "../../platform/closest.ts";
import { foreignTools } from "../../tools/foreign-tools.ts";
import { knownTool, toolNames } from "../../tools/known-tools.ts";
import { toolName } from "../../tools/registry.ts";
import { isAboutFiles } from "../../tools/traits.ts";
import { namesNoHost } from "./domain.ts";
import type { RuleKind } from "../decision.ts";

/** The problem of a rule, with the remedy: it is about nothing, or hardly means what it says. */
export function ruleProblem(kind: RuleKind, rule: string): string | null {
  const [, named = "", inner, rest = ""] = /^([^(]*)(?:\((.*)\))?(.*)$/s.exec(rule.trim()) ?? [];
  if (named.trim() === "" || rest !== "")
    return `'${rule}' is not a rule. Write Tool or Tool(specifier).`;
  const tool = toolName(named);
  if (kind === "allow" && tool.includes("*") && !/^mcp__[^*]+__/.test(tool))
    return `'${rule}' allows nothing: a star works only after mcp__<server>__ here. Name the tools.`;
  const isForeign = tool.includes("*") || tool.startsWith("mcp__") || foreignTools.has(tool);
  if (!isForeign && !toolNames().includes(tool)) return unknownTool(kind, rule, tool);
  const specifier = inner?.trim() ?? "";
  if (/^(?:command|file_path|path|notebook_path|url):/.test(specifier))
    return `'${rule}' is ignored: its field is what the tool's own rules are about. Write ${tool}(…) without the name of the field.`;
  if (tool === "WebFetch" && specifier !== "" && namesNoHost(specifier)) {
    const effect = kind === "allow" ? "allows nothing" : "matches every address";
    return `'${rule}' names no host and ${effect}. Write WebFetch(domain:example.com).`;
  }
  return isAboutFiles(knownTool(tool).effect) ? pathProblem(rule, specifier) : null;
}

function unknownTool(kind: RuleKind, rule: string, tool: string): string | null {
  const names = toolNames();
  const meant = closest(tool, names);
  if (meant !== undefined) return `'${rule}' is about no tool. Did you mean '${meant}'?`;
  // Rules that forbid tools of other programs do no harm.
  return kind === "allow" ? `there is no tool '${tool}'. Known tools: ${names.join(", ")}` : null;
}

/** Paths that hardly mean what they say. */
function pathProblem(rule: string, specifier: string): string | null {
  if (/["'$,]|\\(?![*?[{(])/.test(specifier))
    return `'${rule}' takes its path as it is written, with quotes, commas and $. Write one path in each rule, without them.`;
  if (/^\/[^/]/.test(specifier) && existsSync(specifier))
    return `'${rule}' is about a path below the project. Write '/${specifier}' for the absolute one.`;
  return null;
}

import { closest } from "../platform/closest.ts";
import { RetinueError } from "../contract/errors.ts";
import type { RuleConfinement, SpawnRights, ToolDecision } from "../contract/resolved-agent.ts";
import type { KnownTool } from "../tools/known-tools.ts";
import { toolName } from "../tools/registry.ts";
import { ruleFamily } from "../tools/traits.ts";
import { coveredBy } from "./covered-by.ts";
import { layers, spawnTool, type ToolLayer, type ToolQuestion } from "./tool-layers.ts";

export interface ResolvedTools {
  tools: string[];
  spawn: SpawnRights;
  /** Tools that the agent has only under rules. */
  confined: RuleConfinement[];
  /** Tools that the agent has only for the directory of its memory. */
  forMemory: string[];
  report: ToolDecision[];
  /** Reason why the agent cannot be started: none of the tools that it names is left. */
  refusal: RetinueError | null;
}

/**
 * Decides which available tools an agent gets, layer by layer. Each layer can only remove, except that a memory adds
 * the tools for its own directory. The first layer that drops a tool is the reason in the report.
 */
export function resolveTools(question: ToolQuestion): ResolvedTools {
  const { wanted } = question;
  const available = question.available.map(({ name }) => name);
  const listed = wanted !== undefined && !wanted.includes("*");
  const decisions = question.available.map((tool) => decide(tool, question));
  const unmatched = listed ? wanted.filter((entry) => !available.some(coveredBy(entry))) : [];
  const report = [
    ...decisions,
    ...unmatched.map((entry) => noSuchTool(toolName(entry), available)),
  ];
  const tools = report.filter(({ kept }) => kept).map(({ tool }) => tool);
  const forMemory = decisions.filter(({ layer }) => layer === "memory").map(({ tool }) => tool);
  return {
    tools,
    spawn: spawnRights(tools, wanted),
    confined: confinedTools(question),
    forMemory,
    report,
    refusal: listed && tools.length === 0 ? nothingLeft(question.type, wanted, report) : null,
  };
}

const inOrder = Object.entries(layers) as [ToolLayer, (typeof layers)[ToolLayer]][];

function decide(known: KnownTool, question: ToolQuestion): ToolDecision {
  const tool = known.name;
  for (const [layer, why] of inOrder) {
    const reason = why(known, question);
    if (reason === undefined) continue;
    if (layer === "tools" && question.memory !== null && known.forMemory === true) {
      return {
        tool,
        kept: true,
        layer: "memory",
        why: "added by 'memory', for its directory only",
      };
    }
    return { tool, kept: false, layer, why: reason };
  }
  return { tool, kept: true, layer: "tools", why: whyKept(tool, question) };
}

function whyKept(tool: string, question: ToolQuestion): string {
  const { wanted } = question;
  if (wanted === undefined || wanted.includes("*")) return "all tools";
  const [rules] = confinedTools(question).flatMap((one) =>
    one.tools.includes(tool) ? [one.rules] : [],
  );
  return rules === undefined ? "named in 'tools'" : `only ${rules.join(", ")}`;
}

function noSuchTool(tool: string, available: readonly string[]): ToolDecision {
  const meant = closest(tool, [...available]);
  const hint = meant === undefined ? "" : `; did you mean '${meant}'?`;
  return { tool, kept: false, layer: "available", why: `no such tool here${hint}` };
}

/**
 * Tools with a rule, such as `Bash(git diff *)`, without a plain `Bash` beside it. `Agent(a, b)` is no rule: it names
 * types.
 */
function confinedTools({
  wanted = [],
  available,
}: Pick<ToolQuestion, "wanted" | "available">): RuleConfinement[] {
  const rules = wanted.filter((entry) => /\(.*\)$/s.test(entry) && !/\(\**\)$/.test(entry));
  const byTool = Map.groupBy(rules, toolName);
  return [...byTool].flatMap(([tool, all]) => {
    // A rule for reading binds other tools that read, unless they are named themselves.
    const family = available.filter(({ effect }) => ruleFamily(effect) === tool);
    const tools = [...new Set([tool, ...family.map(({ name }) => name)])].filter(
      (one) => !wanted.includes(one),
    );
    return tool === spawnTool || wanted.includes(tool) ? [] : [{ tools, rules: all }];
  });
}

/** The right to spawn: `Agent` = any type, `Agent(a, b)` = only those, absent = none. */
function spawnRights(tools: readonly string[], wanted: readonly string[] | undefined): SpawnRights {
  if (!tools.includes(spawnTool)) return { allowed: false };
  const entries = (wanted ?? []).filter((entry) => toolName(entry) === spawnTool);
  const types = entries
    .flatMap((entry) => /\((.*)\)$/.exec(entry)?.[1]?.split(",") ?? [])
    .map((name) => name.trim());
  const unrestricted = entries.length === 0 || entries.some((entry) => !entry.includes("("));
  return { allowed: true, types: unrestricted ? "any" : types };
}

function nothingLeft(
  type: string,
  wanted: readonly string[],
  report: readonly ToolDecision[],
): RetinueError {
  const names = [...new Set(wanted.map(toolName))];
  const reasons = names.map((name) => {
    const why = report.find(({ tool }) => tool === name)?.why ?? "no such tool here";
    return `${name}: ${why}`;
  });
  const detail = reasons.length === 0 ? "the list is empty" : reasons.join("; ");
  return new RetinueError(
    "no_tools",
    `Agent type '${type}' is left without tools (${detail}). Correct its 'tools' list.`,
  );
}

import { RetinueError } from "../errors.ts";
import type { PermissionMode, SpawnRights, ToolDecision } from "../resolved-agent.ts";
import { toolName } from "../tools/registry.ts";

export interface ResolvedTools {
  tools: string[];
  spawn: SpawnRights;
  /** Tools that the list names only together with a rule. */
  confined: Record<string, string>;
  report: ToolDecision[];
}

/**
 * Which of the available tools an agent gets, layer by layer; each layer can only take away. The first layer that
 * drops a tool is the reason in the report. A `tools` list of which nothing is left refuses to launch.
 */
export function resolveTools(options: {
  type: string;
  available: readonly string[];
  wanted: readonly string[] | undefined;
  unwanted: readonly string[] | undefined;
  /** Agents at this depth may not spawn. */
  atDepthLimit: boolean;
  mode: PermissionMode;
}): ResolvedTools {
  const { available, wanted } = options;
  const asked =
    wanted === undefined || wanted.includes("*") ? undefined : new Set(wanted.map(toolName));
  const removed = new Set((options.unwanted ?? []).map(toolName));

  const report = available.map((tool): ToolDecision => {
    if (removed.has(tool)) return { tool, kept: false, why: "named in 'disallowedTools'" };
    if (asked !== undefined && !asked.has(tool))
      return { tool, kept: false, why: "not named in 'tools'" };
    const withheld = Object.hasOwn(withholding, tool) ? withholding[tool]?.(options) : undefined;
    if (withheld !== undefined) return { tool, kept: false, why: withheld };
    return { tool, kept: true, why: asked === undefined ? "all tools" : "named in 'tools'" };
  });
  for (const entry of asked ?? []) {
    if (!available.includes(entry))
      report.push({ tool: entry, kept: false, why: "no such tool here" });
  }
  const tools = report.filter((decision) => decision.kept).map((decision) => decision.tool);
  if (asked !== undefined && tools.length === 0) throw nothingLeft(options.type, report, asked);
  return {
    tools,
    spawn: spawnRights(tools, wanted),
    confined: confinedTools(wanted ?? []),
    report,
  };
}

const spawnTool = "Agent";

/** Which agents never get which tool, and why. */
const withholding: Readonly<
  Record<string, (agent: { atDepthLimit: boolean; mode: PermissionMode }) => string | undefined>
> = {
  [spawnTool]: ({ atDepthLimit }) => (atDepthLimit ? "at the depth limit" : undefined),
  ExitPlanMode: ({ mode }) => (mode === "plan" ? undefined : "only in plan mode"),
};

/** `Bash(git diff *)` without a plain `Bash` beside it. `Agent(a, b)` is no rule: it names types. */
function confinedTools(wanted: readonly string[]): Record<string, string> {
  const rules = wanted.flatMap((entry) => {
    const rule = /\((.*)\)$/s.exec(entry)?.[1];
    const tool = toolName(entry);
    return rule === undefined || rule === "*" || tool === spawnTool || wanted.includes(tool)
      ? []
      : [[tool, rule] as const];
  });
  return Object.fromEntries(rules);
}

/** `Agent` = any type, `Agent(a, b)` = only those, absent = none. */
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
  report: readonly ToolDecision[],
  asked: ReadonlySet<string>,
): RetinueError {
  const reasons = [...asked].map((entry) => {
    const why = report.find((decision) => decision.tool === entry)?.why ?? "no such tool here";
    return `${entry}: ${why}`;
  });
  const detail = reasons.length === 0 ? "the list is empty" : reasons.join("; ");
  return new RetinueError(
    "no_tools",
    `Agent type '${type}' is left without tools (${detail}). Correct its 'tools' list.`,
  );
}

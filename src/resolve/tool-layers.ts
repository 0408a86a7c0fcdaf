import type { PermissionMode } from "../contract/resolved-agent.ts";
import { toolName } from "../tools/registry.ts";
import { editTools } from "../permissions/call.ts";
import { parseRule, toolsOfRule } from "../permissions/rules/rule.ts";
import { coveredBy } from "./covered-by.ts";

/** What decides over an agent's tools. */
export interface ToolQuestion {
  type: string;
  available: readonly string[];
  wanted: readonly string[] | undefined;
  unwanted: readonly string[] | undefined;
  /** Rules of the settings that forbid whole tools. */
  denied: readonly string[];
  /** The main agent of a session, which people talk to. */
  isMain: boolean;
  /** Agents at this depth may not spawn. */
  atDepthLimit: boolean;
  /** Nobody waits for it. */
  background: boolean;
  /** The setting `background.mcp`. */
  backgroundMcp: boolean;
  mode: PermissionMode;
  /** Its definition is read-only. */
  readOnly: boolean;
  /** The directory of its memory, if it has one. */
  memory: string | null;
}

/**
 * The layers between the tools that there are and those that an agent gets, in this order. Each says why it takes a tool
 * away, or nothing.
 */
export const layers = {
  settings: (tool, { denied }) => {
    const rule = denied.find((one) => {
      const { tool: named, specifier } = parseRule({ kind: "deny", rule: one, source: "" });
      return specifier === null && toolsOfRule(named).some((about) => coveredBy(about)(tool));
    });
    return rule === undefined ? undefined : `denied by '${rule}' in permissions.deny`;
  },
  disallowedTools: (tool, { unwanted }) =>
    unwanted?.some((entry) => coveredBy(entry)(tool)) === true
      ? "named in 'disallowedTools'"
      : undefined,
  readOnly: (tool, { readOnly }) =>
    readOnly && editTools.has(tool) ? "the definition is read-only" : undefined,
  tools: (tool, { wanted }) =>
    wanted === undefined || wanted.some((entry) => coveredBy(entry)(tool))
      ? undefined
      : "not named in 'tools'",
  "plan mode": (tool, { mode }) =>
    tool === "ExitPlanMode" && mode !== "plan" ? "only in plan mode" : undefined,
  depth: (tool, { atDepthLimit }) =>
    tool === "Agent" && atDepthLimit ? "at the depth limit" : undefined,
  subagents: (tool, { isMain, wanted }) => {
    if (isMain) return undefined;
    if (mainOnly.has(tool)) return "only for the main agent";
    const isNamed = wanted?.some((entry) => toolName(entry) === tool) ?? false;
    return onlyIfNamed.has(tool) && !isNamed ? "children must name it in 'tools'" : undefined;
  },
  background: (tool, { background, backgroundMcp }) => {
    if (!background) return undefined;
    if (tool.startsWith("mcp__"))
      return backgroundMcp
        ? undefined
        : "not for background agents, unless the setting background.mcp says so";
    return inBackground.has(tool) ? undefined : "not for background agents";
  },
} as const satisfies Record<string, (tool: string, agent: ToolQuestion) => string | undefined>;

export type Layer = keyof typeof layers;

/** A child that may interrupt a person is one whose author said so. */
const onlyIfNamed: ReadonlySet<string> = new Set(["AskUserQuestion"]);

/** They decide about the session. */
const mainOnly: ReadonlySet<string> = new Set([
  "EndConversation",
  "EnterPlanMode",
  "ScheduleWakeup",
  "TaskOutput",
  "WaitForMcpServers",
  "Workflow",
]);

/** What works without anybody who waits or answers. */
const inBackground: ReadonlySet<string> = new Set([
  "Agent",
  "Read",
  "Grep",
  "Glob",
  "Bash",
  "PowerShell",
  "Edit",
  "Write",
  "NotebookEdit",
  "WebFetch",
  "WebSearch",
  "TodoWrite",
  "Skill",
  "ToolSearch",
  "EnterWorktree",
  "ExitWorktree",
  "Monitor",
  "TaskStop",
  "SendMessage",
  "Artifact",
  "ExitPlanMode",
]);

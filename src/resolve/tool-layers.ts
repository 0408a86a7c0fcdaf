import type { PermissionMode } from "../contract/resolved-agent.ts";
import type { KnownTool } from "../tools/known-tools.ts";
import { toolName } from "../tools/registry.ts";
import { mayChange, ruleFamily } from "../tools/traits.ts";
import { parseRule } from "../permissions/rules/rule.ts";
import { coveredBy } from "./covered-by.ts";

/** The inputs of the decision about an agent's tools. */
export interface ToolQuestion {
  type: string;
  available: readonly KnownTool[];
  wanted: readonly string[] | undefined;
  unwanted: readonly string[] | undefined;
  /** Rules of the settings that deny whole tools. */
  denied: readonly string[];
  /** Whether it is the main agent of a session. */
  isMain: boolean;
  /** Whether agents at this depth may not spawn. */
  atDepthLimit: boolean;
  /** Whether the agent runs in the background. */
  background: boolean;
  /** The setting `background.mcp`. */
  backgroundMcp: boolean;
  mode: PermissionMode;
  /** Whether the definition is read-only. */
  readOnly: boolean;
  /** The directory of the agent's memory, if it has one. */
  memory: string | null;
}

/** The tool that spawns children. */
export const spawnTool = "Agent";

/**
 * The layers between the available tools and those of an agent, in this order. Each returns the reason why it removes a
 * tool, or nothing.
 */
export const layers = {
  settings: ({ name, effect }, { denied }) => {
    const rule = denied.find((one) => {
      const { tool: named, specifier } = parseRule({ kind: "deny", rule: one, source: "" });
      return specifier === null && (coveredBy(named)(name) || ruleFamily(effect) === named);
    });
    return rule === undefined ? undefined : `denied by '${rule}' in permissions.deny`;
  },
  disallowedTools: ({ name }, { unwanted }) =>
    unwanted?.some((entry) => coveredBy(entry)(name)) === true
      ? "named in 'disallowedTools'"
      : undefined,
  readOnly: ({ effect }, { readOnly }) =>
    readOnly && mayChange(effect) ? "the definition is read-only" : undefined,
  tools: ({ name }, { wanted }) =>
    wanted === undefined || wanted.some((entry) => coveredBy(entry)(name))
      ? undefined
      : "not named in 'tools'",
  "plan mode": ({ audience }, { mode }) =>
    audience === "planning" && mode !== "plan" ? "only in plan mode" : undefined,
  depth: ({ name }, { atDepthLimit }) =>
    name === spawnTool && atDepthLimit ? "at the depth limit" : undefined,
  subagents: ({ name, audience }, { isMain, wanted }) => {
    if (isMain) return undefined;
    if (audience === "main") return "only for the main agent";
    const isNamed = wanted?.some((entry) => toolName(entry) === name) ?? false;
    // A child may interrupt a person only if its author named the tool.
    return audience === "named" && !isNamed ? "children must name it in 'tools'" : undefined;
  },
  background: ({ name, background: works }, { background, backgroundMcp }) => {
    if (!background) return undefined;
    if (name.startsWith("mcp__"))
      return backgroundMcp
        ? undefined
        : "not for background agents, unless the setting background.mcp says so";
    return works ? undefined : "not for background agents";
  },
} as const satisfies Record<string, (tool: KnownTool, agent: ToolQuestion) => string | undefined>;

export type ToolLayer = keyof typeof layers;

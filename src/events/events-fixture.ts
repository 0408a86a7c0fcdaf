import type { AgentFigures } from "../contract/agent-result.ts";
import type { AgentSummary } from "./event.ts";
import { noUsage } from "../contract/message.ts";

/** Test support: an agent as events introduce it. */
export function agentSummary(over: Partial<AgentSummary> = {}): AgentSummary {
  return {
    type: "general-purpose",
    name: null,
    description: "",
    color: null,
    model: "opus",
    parentId: null,
    toolUseId: null,
    depth: 0,
    background: false,
    prompt: null,
    tools: [],
    permissionMode: "default",
    modeRefused: null,
    maxTurns: 10,
    modelFrom: "default",
    scripted: false,
    cwd: "/project",
    standing: false,
    ...over,
  };
}

/** Test support: the figures of a run. */
export function figures(over: Partial<AgentFigures> = {}): AgentFigures {
  return {
    turns: 1,
    toolUses: 0,
    denials: 0,
    deniedCalls: [],
    durationMs: 0,
    usage: noUsage,
    lastUsage: noUsage,
    costUsd: 0,
    ...over,
  };
}

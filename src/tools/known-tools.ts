import { foreignTools, unknownTraits } from "./foreign-tools.ts";
import { toolRegistry } from "./registry.ts";
import type { ToolTraits } from "./traits.ts";

/** A tool's name and traits. Every `Tool` is one. */
export interface KnownTool extends ToolTraits {
  readonly name: string;
}

/**
 * The tool that a name means to this version: one of ours, one of another program's, or one that is known by name only.
 */
export function knownTool(name: string): KnownTool {
  return toolRegistry.get(name) ?? { ...(foreignTools.get(name) ?? unknownTraits), name };
}

const hostNames = new Set<string>();

/**
 * Registers the name of a host's tool in this process, so that rules and lists may name it. Only names: whether a
 * session has the tool, and its traits, go with the session.
 */
export function noteToolName(name: string): void {
  hostNames.add(name);
}

/** Names of all tools known in this process. */
export function toolNames(): string[] {
  return [...toolRegistry.keys(), ...hostNames];
}

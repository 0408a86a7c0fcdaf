import { toolName } from "../tools/registry.ts";

/**
 * Whether an entry of a list matches a tool: by name or alias, with or without a rule, or as one of an MCP server's.
 */
export function coveredBy(entry: string): (tool: string) => boolean {
  const name = toolName(entry);
  if (name === "*") return () => true;
  const server = /^(mcp__[^*]+?)(?:__\*)?$/.exec(name)?.[1];
  return (tool) => tool === name || (server !== undefined && tool.startsWith(`${server}__`));
}

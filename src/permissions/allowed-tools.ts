import { RetinueError } from "../errors.ts";
import { toolName, toolRegistry } from "../tools/registry.ts";

/**
 * The tools that a user or host names as allowed. A rule with a specifier is refused rather than read as the whole
 * tool: that would allow more than was said.
 */
export function parseAllowedTools(entries: readonly string[]): string[] {
  return entries.map((entry) => {
    if (/[()*]/.test(entry)) {
      throw new RetinueError(
        "invalid_config",
        `allowedTools: '${entry}' is a rule; this version takes whole tools. Write '${toolName(entry)}' to allow all of it.`,
      );
    }
    const name = toolName(entry);
    if (toolRegistry.has(name)) return name;
    const known = [...toolRegistry.keys()].join(", ");
    throw new RetinueError(
      "invalid_config",
      `allowedTools: there is no tool '${entry}'. Known tools: ${known}`,
    );
  });
}

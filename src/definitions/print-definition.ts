import type { AgentDefinition } from "./definition.ts";
import { definitionFields, type FieldName } from "./fields.ts";
import type { McpServerUse } from "./mcp-field.ts";
import { splitTools } from "./tool-list.ts";

/** Prints a definition as a file that parses to the same definition. */
export function printDefinition(
  definition: Pick<AgentDefinition, "name" | "description" | "prompt"> & Partial<AgentDefinition>,
): string {
  const fields = (Object.keys(definitionFields) as FieldName[]).flatMap((field) => {
    const value = definition[field];
    return value === undefined ? [] : [`${field}: ${yaml(written(field, value))}`];
  });
  const head = [
    `name: ${yaml(definition.name)}`,
    `description: ${yaml(definition.description)}`,
    ...fields,
  ];
  const body = definition.prompt === "" ? "" : `\n${definition.prompt}\n`;
  return `---\n${head.join("\n")}\n---\n${body}`;
}

/** Formats a value as an author would write it: `tools` in one line, servers in their original form. */
function written(field: FieldName, value: unknown): unknown {
  if (field === "mcpServers") return (value as McpServerUse[]).map(server);
  if (field !== "tools" && field !== "disallowedTools") return value;
  const entries = value as string[];
  const line = entries.join(", ");
  // An unclosed parenthesis would swallow the entries behind it, and a single name with blanks would be several.
  const isWhole = JSON.stringify(splitTools(line)) === JSON.stringify(entries);
  return isWhole && entries.length > 0 ? line : entries;
}

function server({ name, configuration, tools }: McpServerUse): unknown {
  if (configuration !== null) return { [name]: configuration };
  return tools === null ? name : { serverName: name, tools };
}

/** Formats a value as YAML. JSON is YAML; words that cannot be misread stay bare. */
function yaml(value: unknown): string {
  if (typeof value === "string" && bare.test(value) && !meaning.test(value)) return value;
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

const bare = /^[A-Za-z][\w/.-]*(?:[ ,]+[\w/.(*)-]+)*,?$/;
const meaning = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

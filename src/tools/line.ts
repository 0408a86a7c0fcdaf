import type { ToolTraits } from "./traits.ts";

type CallInput = Readonly<Record<string, unknown>>;

/** A call without its tool's name, in one line, as the model wrote it. Callers sanitize it. */
export function callLine(tool: ToolTraits, input: CallInput): string {
  const { mainField } = tool;
  if (tool.line !== undefined) return tool.line(input);
  if (mainField !== undefined && mainField in input) return text(input[mainField]);
  return Object.keys(input).length === 0 ? "" : JSON.stringify(input);
}

export function text(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function quoted(value: unknown): string {
  return value === undefined ? "" : `"${text(value)}"`;
}

/** Joins the parts that are not empty. */
export function joined(separator: string, ...parts: string[]): string {
  return parts.filter((part) => part !== "").join(separator);
}

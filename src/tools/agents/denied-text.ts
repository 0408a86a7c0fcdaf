import type { DeniedCall } from "../../contract/agent-result.ts";

/** Explains a report that falls short by its denials. Null: nothing was denied. */
export function deniedText(calls: readonly DeniedCall[], id?: string): string | null {
  if (calls.length === 0) return null;
  const lines = calls.map(
    ({ tool, reason, count }) => `- ${tool}${count === 1 ? "" : ` (${count} times)`}: ${reason}`,
  );
  // In the foreground a person can be asked.
  const remedy =
    id === undefined
      ? ""
      : `\nIt ran in the background. If it needs these calls, run it again in the foreground, where a person can answer (resume: "${id}").`;
  return `The agent was denied:\n${lines.join("\n")}${remedy}`;
}

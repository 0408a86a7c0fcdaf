import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readMain } from "./books.ts";

/** Agents that have the mark of their end though their file has none: `ps` would not list them. */
export function hiddenAgents(sessionDir: string): string[] {
  const marks = join(sessionDir, "ended");
  if (!existsSync(marks)) return [];
  const main = readMain(sessionDir);
  return readdirSync(marks).filter((id) => {
    const state = id === main.id ? main.state : stateOf(sessionDir, id);
    return !["completed", "failed", "stopped"].includes(state);
  });
}

function stateOf(sessionDir: string, id: string): string {
  const file = join(sessionDir, `subagents/agent-${id}.meta.json`);
  return (JSON.parse(readFileSync(file, "utf8")) as { retinue: { state: string } }).retinue.state;
}

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mainAgentId, type SessionId } from "../dist/contract/ids.js";
import { introduce, type AgentRecord } from "../dist/events/agent-record.js";
import { metaOf } from "../dist/transcript/meta.js";
import type { Figure } from "./figures.ts";
import { measure } from "./measure.ts";
import { outputCommand } from "./programs.ts";
import { compare, type Pair } from "./statistics.ts";
import type { Workspace } from "./workspace.ts";

export const findScale = { few: 5, many: 5000 };

/** Measures `retinue output ID` beside few ended agents, and beside many. Throws when a result is not printed. */
export async function benchFind(
  workspace: Workspace,
  { runs, size = findScale }: { runs: number; size?: typeof findScale },
): Promise<Figure> {
  const few = addAgents(join(workspace.root, "few"), size.few);
  const many = addAgents(join(workspace.root, "many"), size.many);
  const pairs: Pair[] = [];
  for (let number = 0; number <= runs; number += 1) {
    process.stderr.write(`${number === 0 ? "warm-up" : `round ${number}`} find\n`);
    const pair = { floor: await wallMs(workspace, few), retinue: await wallMs(workspace, many) };
    if (number > 0) pairs.push(pair);
  }
  const [one, other] = [size.few, size.many].map((count) => count.toLocaleString("en"));
  const title = `output ID: ${one} and ${other} ended agents`;
  return { title, unit: "ms", bar: 1.5, ...compare(pairs) };
}

interface Agents {
  configDir: string;
  id: string;
}

async function wallMs(workspace: Workspace, { configDir, id }: Agents): Promise<number> {
  const run = await measure(outputCommand(workspace, configDir, id));
  if (run.stdout !== "found\n")
    throw new Error(`retinue output ${id}: ended with ${run.exit}, printed '${run.stdout}'.`);
  return run.wallMs;
}

/**
 * Adds agents, each the main agent of a session of its own, which makes the longest list. Returns the first one's id.
 */
function addAgents(configDir: string, count: number): Agents {
  const sessions = Array.from(
    { length: count },
    (_, index) => `${String(index).padStart(8, "0")}-0000-4000-8000-000000000000` as SessionId,
  );
  for (const [index, sessionId] of sessions.entries()) {
    const directory = join(configDir, "projects", `project-${index % 20}`, sessionId);
    const meta = JSON.stringify(metaOf(endedRecord(sessionId), { pid: 1, pidStart: "gone" }));
    const end = { type: "retinue-end", result: { state: "completed", content: "found" } };
    write(join(directory, "main.meta.json"), `${meta.padEnd(3000)}\n`);
    write(`${directory}.jsonl`, `${JSON.stringify(end)}\n`);
  }
  return { configDir, id: mainAgentId(sessions[0] ?? "") };
}

function endedRecord(sessionId: SessionId): AgentRecord {
  const header = { agentId: mainAgentId(sessionId), sessionId, at: 1 };
  const identity = {
    ...{ type: "main", name: null, description: "", color: null, model: "m", modelFrom: "default" },
    ...{ scripted: false, maxTurns: 1, cwd: "/", parentId: null, depth: 0, toolUseId: null },
    ...{ standing: false, background: false },
  };
  return { ...introduce(header, identity), state: "completed" };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

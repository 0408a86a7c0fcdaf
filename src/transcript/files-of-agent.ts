import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../platform/is-object.ts";
import { readSmallFile } from "../platform/read-small-file.ts";
import { unlessGone } from "../platform/remove-tree.ts";
import type { AgentOnDisk } from "./meta.ts";
import { readTranscript } from "./reader.ts";

/**
 * What an agent has in the other directories of its session: what lies there under its name, what its calls wrote down, and
 * questions that nobody will answer any more.
 */
export async function filesOfAgent(agent: AgentOnDisk, directory: string): Promise<string[]> {
  const results = await resultsOf(agent);
  const { agentId } = agent.meta.retinue;
  const isNamedAfterIt = (name: string): boolean =>
    name === agentId || name.startsWith(`${agentId}.`) || name === `${agentId}-plan.md`;
  const found: string[] = [];
  const rooms = (await unlessGone(() => readdir(directory, { withFileTypes: true }))) ?? [];
  for (const { name: room } of rooms.filter((entry) => entry.isDirectory())) {
    if (room === "subagents") continue;
    const place = join(directory, room);
    const names = (await unlessGone(() => readdir(place))) ?? [];
    const questions = room === "inbox" ? questionsOf(agentId, place, names) : [];
    const own = names.filter(
      (name) =>
        isNamedAfterIt(name) ||
        (room === "tool-results" && results.has(name)) ||
        questions.some((id) => name.startsWith(`${id}.`)),
    );
    found.push(...own.map((name) => join(place, name)));
  }
  return found;
}

/** The files into which long outputs of its calls went. */
async function resultsOf({ transcript }: AgentOnDisk): Promise<Set<string>> {
  const entries = await readTranscript(transcript);
  const calls = entries.flatMap((entry) =>
    entry.kind === "answer" && entry.block?.type === "tool_use" ? [entry.block.id] : [],
  );
  return new Set(calls.map((id) => `${id.replaceAll(/[^\w-]/g, "_")}.txt`));
}

const largestQuestion = 16 * 1024 * 1024;

function questionsOf(agentId: string, inbox: string, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const id = /^(q[0-9a-f]{8})\.json$/.exec(name)?.[1];
    if (id === undefined) return [];
    const read = readSmallFile(join(inbox, name), largestQuestion);
    return read.kind === "text" && askerOf(read.text) === agentId ? [id] : [];
  });
}

function askerOf(text: string): unknown {
  try {
    const stored: unknown = JSON.parse(text);
    const request = isObject(stored) ? stored["request"] : undefined;
    return isObject(request) ? request["agentId"] : undefined;
  } catch {
    return undefined;
  }
}

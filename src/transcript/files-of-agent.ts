import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../platform/is-object.ts";
import { readJsonl } from "./lines/jsonl.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { unlessGone } from "../platform/files/remove-tree.ts";
import type { AgentOnDisk } from "./agent-on-disk.ts";

/**
 * Files of an agent in the other directories of its session: those named after it, the output of its commands, and
 * questions that can no longer be answered.
 */
export async function filesOfAgent(agent: AgentOnDisk, directory: string): Promise<string[]> {
  const outputs = await outputsOf(agent);
  const { id: agentId } = agent.record;
  const isNamedAfterIt = (name: string): boolean =>
    name === agentId || name.startsWith(`${agentId}.`) || name === `${agentId}-plan.md`;
  // Invalid lines of its transcript.
  const found = [`${agent.transcript}.bad`];
  const rooms = (await unlessGone(() => readdir(directory, { withFileTypes: true }))) ?? [];
  for (const { name: room } of rooms.filter((entry) => entry.isDirectory())) {
    if (room === "subagents") continue;
    const place = join(directory, room);
    const names = (await unlessGone(() => readdir(place))) ?? [];
    const questions = room === "inbox" ? questionsOf(agentId, place, names) : [];
    const own = names.filter(
      (name) =>
        isNamedAfterIt(name) ||
        (room === "tasks" && outputs.has(name)) ||
        questions.some((id) => name.startsWith(`${id}.`)),
    );
    found.push(...own.map((name) => join(place, name)));
  }
  return found;
}

/**
 * Output files of the agent's commands in the background. Lines before the start of a branch are left out: another
 * agent started those commands.
 */
async function outputsOf({ transcript }: AgentOnDisk): Promise<Set<string>> {
  const lines = (await unlessGone(() => readJsonl(transcript))) ?? [];
  const begun = lines.findLastIndex(({ type }) => type === "retinue-branch");
  return new Set(
    lines.slice(begun + 1).flatMap(({ toolUseResult: data }) => {
      const task = isObject(data) ? data["backgroundTaskId"] : undefined;
      return typeof task === "string" ? [`${task}.output`] : [];
    }),
  );
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

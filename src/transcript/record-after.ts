import { advance, beginRun, reset, type AgentRecord } from "../events/agent-record.ts";
import type { AgentEventBody } from "../events/event.ts";
import type { TranscriptEntry } from "./reader.ts";

/**
 * The record of an agent after everything that its transcript tells: the file beside the transcript is written when the
 * state changes, and a process can end before that. What was copied from another agent is that agent's usage.
 */
export function recordAfter(stored: AgentRecord, entries: readonly TranscriptEntry[]): AgentRecord {
  const own = entries.slice(entries.findLastIndex(({ kind }) => kind === "branch") + 1);
  // An agent in line, or one that takes its first task, has no transcript yet.
  if (own.length === 0) return stored;
  let record = reset(stored);
  let answerId: string | undefined;
  for (const entry of own) {
    const at = Date.parse(entry.at) || record.run.startedAt;
    if (beginsTask(entry)) record = beginRun(record, { resumes: false, at });
    if (entry.kind === "record" && entry.prompt === null)
      record = beginRun(record, { resumes: true, at });
    for (const body of bodiesOf(entry, answerId)) {
      record = advance(record, { agentId: record.id, sessionId: record.sessionId, at, ...body });
    }
    if (entry.kind === "answer") answerId = entry.id;
  }
  return record;
}

/** A run begins with a task: not with a prompt of the harness on the way, nor with mail. */
export function beginsTask(entry: TranscriptEntry): boolean {
  if (entry.kind === "record") return entry.prompt !== null;
  return entry.kind === "prompt" && !entry.meta && entry.mailId === undefined;
}

/** The events of one entry that matter to a record. An answer has an entry for each of its blocks. */
function bodiesOf(entry: TranscriptEntry, answerId: string | undefined): AgentEventBody[] {
  switch (entry.kind) {
    case "spend":
      return [{ ...noDetails, type: "spend", usage: entry.usage, costUsd: entry.costUsd }];
    case "answer": {
      const { id, requestId, model, stopReason, usage, block } = entry;
      const message = { role: "assistant" as const, content: [] };
      const answer = { id, requestId, model, stopReason, usage, message };
      const { costUsd } = entry;
      return [
        ...(id === answerId
          ? []
          : [{ type: "assistant-message" as const, turn: 0, answer, costUsd, durationMs: 0 }]),
        ...(block?.type === "tool_use" ? [{ type: "tool-call-start" as const, call: block }] : []),
      ];
    }
    case "end":
      return [{ type: "agent-end", result: { ...entry.result, content: "" } }];
    default:
      return [];
  }
}

const noDetails = { what: "search", model: "", searches: 0, durationMs: 0 } as const;

import { advance, beginRun, reset, type AgentRecord } from "../events/agent-record.ts";
import type { AgentEventBody } from "../events/event.ts";
import { toolUsesOf } from "../contract/message.ts";
import type { TranscriptEntry } from "./reader.ts";
import { wholeAnswers, type WholeEntry } from "./whole-answers.ts";

/**
 * The record of an agent, folded with its whole transcript: the meta file is written when the state changes, and a
 * process can end before that. Usage copied from another agent counts for that agent only.
 */
export function recordAfter(stored: AgentRecord, entries: readonly TranscriptEntry[]): AgentRecord {
  const branchedAt = entries.findLastIndex(({ kind }) => kind === "branch");
  const own = entries.slice(branchedAt + 1);
  // An agent in line, or one that takes its first task, has no transcript yet.
  if (own.length === 0) return stored;
  let record = reset(stored);
  const [first] = own;
  const resumesOther = branchedAt !== -1 && first?.kind === "record" && first.prompt === null;
  if (resumesOther) record = { ...record, run: sharedRun(stored, entries.slice(0, branchedAt)) };
  for (const entry of wholeAnswers(own)) {
    const at = Date.parse(entry.at) || record.run.startedAt;
    if (beginsTask(entry)) record = beginRun(record, { resumes: false, at });
    if (entry.kind === "record" && entry.prompt === null)
      record = beginRun(record, { resumes: true, at });
    for (const body of bodiesOf(entry)) {
      record = advance(record, { agentId: record.id, sessionId: record.sessionId, at, ...body });
    }
  }
  return record;
}

/**
 * The part of a run that a branch shares with its original: turns and tool calls, which limits count. The usage is the
 * original's alone.
 */
export function sharedRun(
  original: AgentRecord,
  copied: readonly TranscriptEntry[],
): AgentRecord["run"] {
  const { turns, toolUses, startedAt } = recordAfter(original, copied).run;
  return { ...reset(original).run, turns, toolUses, startedAt };
}

/** Whether an entry begins a task: not a prompt of the harness on the way, nor mail. */
export function beginsTask(entry: TranscriptEntry | WholeEntry): boolean {
  if (entry.kind === "record") return entry.prompt !== null;
  return entry.kind === "prompt" && !entry.meta && entry.mailId === undefined;
}

/** The events of one entry that matter to a record. */
function bodiesOf(entry: WholeEntry): AgentEventBody[] {
  switch (entry.kind) {
    case "spend":
      return [{ ...noDetails, type: "spend", usage: entry.usage, costUsd: entry.costUsd }];
    case "answer": {
      const { answer, costUsd } = entry;
      const calls = toolUsesOf(answer.message);
      return [
        { type: "assistant-message", turn: 0, answer, costUsd, durationMs: 0 },
        ...calls.map((call) => ({ type: "tool-call-start" as const, call })),
      ];
    }
    case "end":
      return [{ type: "agent-end", result: { ...entry.result, content: "" } }];
    default:
      return [];
  }
}

const noDetails = { what: "search", model: "", searches: 0, durationMs: 0 } as const;

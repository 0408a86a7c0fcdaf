import type { Message, ToolResultBlock } from "../../contract/message.ts";
import type { Pending } from "../../loop/pending.ts";
import {
  conversationOf,
  lastTextOf,
  type EndOnDisk,
  type TranscriptEntry,
} from "../../transcript/reader.ts";
import { beginsTask } from "../../transcript/record-after.ts";

/** The state of an agent, as read from its transcript: everything that resuming needs. */
export interface Past {
  /** The conversation; it ends with the last answer if calls of that answer are open. */
  readonly messages: Message[];
  readonly pending: Pending | null;
  /** Ids of the messages and notifications that the agent has read. */
  readonly told: ReadonlySet<string>;
  /** The end of the last run; `null`: it was interrupted. */
  readonly end: EndOnDisk | null;
  readonly lastText: string;
  /** The agent as it was resolved last. */
  readonly stored: Record<string, unknown> | undefined;
  /** Whether the plan was approved in the interrupted task. */
  readonly leftPlan: boolean;
  /** The task of a run that ended before the agent read it. */
  readonly unread: string | null;
}

export function pastOf(entries: readonly TranscriptEntry[]): Past {
  const lastEnd = entries.findLastIndex((entry) => entry.kind === "end");
  const lastTask = entries.findLastIndex(beginsTask);
  const end = lastEnd > lastTask ? entries[lastEnd] : undefined;
  const begun = end === undefined ? Math.max(lastTask, 0) : entries.length;
  const { messages, pending } = openCalls(conversationOf(entries), entries);
  return {
    messages,
    pending,
    told: new Set(
      entries.flatMap((entry) =>
        entry.kind === "prompt" && entry.mailId !== undefined ? [entry.mailId] : [],
      ),
    ),
    end: end?.kind === "end" ? end.result : null,
    lastText: lastTextOf(entries),
    stored: entries.findLast((entry) => entry.kind === "record")?.agent,
    leftPlan: entries.slice(begun).some((entry) => entry.kind === "mode"),
    unread: unreadTask(entries),
  };
}

function unreadTask(entries: readonly TranscriptEntry[]): string | null {
  const at = entries.findLastIndex((entry) => entry.kind === "record" && entry.prompt !== null);
  const record = entries[at];
  if (record?.kind !== "record" || entries.slice(at + 1).some(beginsTask)) return null;
  return record.prompt;
}

/** Removes the results of the last answer from the conversation, if some are missing. */
function openCalls(
  all: Message[],
  entries: readonly TranscriptEntry[],
): { messages: Message[]; pending: Pending | null } {
  const at = all.findLastIndex(({ role }) => role === "assistant");
  const answer = all[at];
  if (answer?.role !== "assistant") return { messages: all, pending: null };
  const results = (all[at + 1]?.content ?? []).filter(
    (block): block is ToolResultBlock => block.type === "tool_result",
  );
  const done = new Set(results.map((result) => result.tool_use_id));
  const calls = answer.content.filter((block) => block.type === "tool_use");
  const open = calls.filter(({ id }) => !done.has(id));
  const lastAt = entries.findLastIndex((entry) => entry.kind === "answer");
  const last = entries[lastAt];
  const stopReason = last?.kind === "answer" ? last.stopReason : "end_turn";
  if (open.length === 0 && at < all.length - 1) return { messages: all, pending: null };
  // Only calls begun since: a call of an earlier answer may have the same id.
  const since = entries.slice(lastAt);
  const intents = new Set(since.flatMap((entry) => (entry.kind === "intent" ? [entry.key] : [])));
  return {
    messages: all.slice(0, at + 1),
    pending: {
      answer: { message: answer, stopReason },
      results,
      open: open.map((call) => ({ call, begun: intents.has(`tool/${call.id}`) })),
    },
  };
}

import { readFile } from "node:fs/promises";
import { systemCode } from "../contract/errors.ts";
import type { AgentResult } from "../contract/agent-result.ts";
import type { StopReason } from "../events/event.ts";
import {
  userMessage,
  type AssistantBlock,
  type Attachment,
  type Message,
  type ToolResultBlock,
  type Usage,
} from "../contract/message.ts";
import { judgeLines } from "./lines/judge-lines.ts";

/** One line of a transcript that this reader understands. Others are skipped. */
export type TranscriptEntry =
  | { kind: "prompt"; text: string; at: string; meta: boolean; mailId?: string }
  /** A step that was about to begin. */
  | { kind: "intent"; key: string; at: string }
  | { kind: "attachment"; attachment: Attachment; at: string }
  | {
      kind: "answer";
      id: string;
      requestId: string;
      model: string;
      block: AssistantBlock | undefined;
      stopReason: StopReason;
      /** The usage of the whole answer; each of its lines repeats it. */
      usage: Usage;
      /** The cost of the whole answer in US dollars; `null`: unknown. */
      costUsd: number | null;
      at: string;
    }
  | { kind: "result"; result: ToolResultBlock; at: string }
  /** Usage besides the answers. */
  | { kind: "spend"; usage: Usage; costUsd: number | null; at: string }
  /** A run begins, with the agent as it was resolved for it. */
  | { kind: "record"; agent: Record<string, unknown>; prompt: string | null; at: string }
  /** An approved plan has returned the agent to this mode. */
  | { kind: "mode"; to: string; at: string }
  /** The start of a branch. Earlier lines were copied from another agent, which paid for them. */
  | { kind: "branch"; from: string; at: string }
  /** The end of a run; its content is the last text. */
  | { kind: "end"; result: EndOnDisk; at: string };

/** A result, without its text where that is the last answer. */
export type EndOnDisk = DistributiveOmit<AgentResult, "content"> & { content?: string };
type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown
  ? Omit<Union, Key>
  : never;

/**
 * The entries of the valid lines (`judgeLines`); the file is not changed. An agent that has not said anything yet has
 * no file: that is an empty transcript.
 */
export async function readTranscript(path: string): Promise<TranscriptEntry[]> {
  try {
    return entriesIn(await readFile(path));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    return [];
  }
}

export function entriesIn(bytes: Buffer): TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  judgeLines(bytes, {
    // One by one, so that unused parts of a line are freed before the next is read.
    take: (value) => {
      const line = record(value);
      if (line !== undefined) entries.push(...parseEntry(line));
    },
  });
  return entries;
}

export function parseEntry(line: Record<string, unknown>): TranscriptEntry[] {
  const at = typeof line["timestamp"] === "string" ? line["timestamp"] : "";
  if (line["type"] === "attachment") {
    const attachment = record(line["attachment"]);
    if (typeof attachment?.["text"] !== "string") return [];
    return [{ kind: "attachment", attachment: attachment as unknown as Attachment, at }];
  }
  if (line["type"] === "retinue-step") return [{ kind: "intent", key: String(line["key"]), at }];
  if (line["type"] === "retinue-spend") {
    const costUsd = costIn(line["costUsd"]);
    return [{ kind: "spend", usage: usageIn(line["usage"]), costUsd, at }];
  }
  if (line["type"] === "retinue-record") {
    const agent = record(line["agent"]);
    const prompt = typeof line["prompt"] === "string" ? line["prompt"] : null;
    return agent === undefined ? [] : [{ kind: "record", agent, prompt, at }];
  }
  if (line["type"] === "retinue-mode") return [{ kind: "mode", to: String(line["to"]), at }];
  if (line["type"] === "retinue-branch")
    return [{ kind: "branch", from: String(line["from"]), at }];
  if (line["type"] === "retinue-end") {
    const result = record(line["result"]);
    return result === undefined ? [] : [{ kind: "end", result: result as never, at }];
  }
  const message = record(line["message"]);
  if (message === undefined) return [];
  const { content } = message;
  if (line["type"] === "assistant" && Array.isArray(content)) {
    const block = content[0] as AssistantBlock | undefined;
    return [
      {
        kind: "answer",
        id: String(message["id"]),
        requestId: typeof line["requestId"] === "string" ? line["requestId"] : "",
        model: String(message["model"]),
        block,
        stopReason: (message["stop_reason"] ?? "end_turn") as StopReason,
        usage: usageIn(message["usage"]),
        costUsd: costIn(line["retinueCostUsd"]),
        at,
      },
    ];
  }
  if (line["type"] !== "user") return [];
  if (typeof content === "string") {
    const mailId = line["retinueMail"];
    const mail = typeof mailId === "string" ? { mailId } : {};
    return [{ kind: "prompt", text: content, at, meta: line["isMeta"] === true, ...mail }];
  }
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown): TranscriptEntry[] => {
    const fields = record(block);
    if (fields?.["type"] === "tool_result") {
      return [{ kind: "result", result: orderedResult(fields), at }];
    }
    return fields?.["type"] === "text"
      ? [{ kind: "prompt", text: String(fields["text"]), at, meta: false }]
      : [];
  });
}

/**
 * The conversation in the transcript, as it was sent: blocks of one answer joined, tool results in request order, parts
 * of a user message in the order that `userMessage` fixes.
 */
export function conversationOf(entries: readonly TranscriptEntry[]): Message[] {
  const messages: Message[] = [];
  let answerId: string | undefined;
  let user = emptyUser();
  const flush = (): void => {
    if (user.results.length + user.attachments.length + user.texts.length === 0) return;
    messages.push(userMessage({ ...user, results: inCallOrder(user.results, messages.at(-1)) }));
    user = emptyUser();
  };
  for (const entry of entries) {
    if (entry.kind === "answer") {
      flush();
      const last = messages.at(-1);
      if (answerId === entry.id && last?.role === "assistant") {
        if (entry.block !== undefined) last.content.push(entry.block);
      } else {
        messages.push({
          role: "assistant",
          content: entry.block === undefined ? [] : [entry.block],
        });
      }
      answerId = entry.id;
    } else if (entry.kind === "result") user.results.push(entry.result);
    else if (entry.kind === "attachment") user.attachments.push(entry.attachment);
    else if (entry.kind === "prompt") user.texts.push(entry.text);
  }
  flush();
  return messages;
}

/** The text of the last answer that has any. */
export function lastTextOf(entries: readonly TranscriptEntry[]): string {
  const last = lastAnswerWithText(entries);
  if (last === undefined) return "";
  return entries
    .flatMap((entry) =>
      entry.kind === "answer" && entry.id === last.id && entry.block?.type === "text"
        ? [entry.block.text]
        : [],
    )
    .join("\n");
}

export function lastAnswerWithText(
  entries: readonly TranscriptEntry[],
): Extract<TranscriptEntry, { kind: "answer" }> | undefined {
  return entries
    .filter((entry) => entry.kind === "answer")
    .findLast(({ block }) => block?.type === "text" && block.text.trim() !== "");
}

function costIn(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function usageIn(usage: unknown): Usage {
  const fields = record(usage) ?? {};
  const count = (name: string): number => {
    const value = fields[name];
    return typeof value === "number" ? value : 0;
  };
  return {
    input: count("input_tokens"),
    output: count("output_tokens"),
    cacheRead: count("cache_read_input_tokens"),
    cacheWrite: count("cache_creation_input_tokens"),
  };
}

interface UserParts {
  results: ToolResultBlock[];
  attachments: Attachment[];
  texts: string[];
}

function emptyUser(): UserParts {
  return { results: [], attachments: [], texts: [] };
}

function inCallOrder(results: ToolResultBlock[], asked: Message | undefined): ToolResultBlock[] {
  if (asked?.role !== "assistant") return results;
  if (results.length < 2) return results;
  const places = new Map<string, number>();
  for (const block of asked.content) {
    if (block.type === "tool_use" && !places.has(block.id)) places.set(block.id, places.size);
  }
  const placeOf = ({ tool_use_id }: ToolResultBlock): number => places.get(tool_use_id) ?? -1;
  return results.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** The key order in which results are sent, so that a conversation read back is the same bytes. */
function orderedResult(fields: Record<string, unknown>): ToolResultBlock {
  const { type, tool_use_id, content, is_error } = fields as unknown as ToolResultBlock;
  return { type, tool_use_id, content, ...(is_error === undefined ? {} : { is_error }) };
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)
    : undefined;
}

import { systemCode } from "../errors.ts";
import {
  userMessage,
  type AssistantBlock,
  type Attachment,
  type Message,
  type ToolResultBlock,
} from "../message.ts";
import { readJsonl } from "../platform/jsonl.ts";

/** One line of a transcript that this reader understands. Others are passed over. */
export type TranscriptEntry =
  | { kind: "prompt"; text: string; at: string; meta: boolean; mailId?: string }
  /** A step that was about to begin. */
  | { kind: "intent"; key: string; at: string }
  | { kind: "attachment"; attachment: Attachment; at: string }
  | {
      kind: "answer";
      id: string;
      model: string;
      block: AssistantBlock | undefined;
      /** Of the whole answer; each of its lines repeats it. */
      tokens: number;
      at: string;
    }
  | { kind: "result"; result: ToolResultBlock; at: string }
  /** What was taken besides the answers. */
  | { kind: "spend"; tokens: number; at: string };

/** An agent that has not said anything yet has no file: that is an empty transcript. */
export async function readTranscript(path: string): Promise<TranscriptEntry[]> {
  try {
    return (await readJsonl(path)).flatMap(parseEntry);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
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
    return [{ kind: "spend", tokens: tokensIn(line["usage"]), at }];
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
        model: String(message["model"]),
        block,
        tokens: tokensIn(message["usage"]),
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
 * The conversation that the lines record, as it was sent: blocks of one answer joined, tool results in the order in
 * which they were asked for, parts of a user message in the order that `userMessage` fixes.
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

/** All tokens of an agent: each answer once, however many lines it has, and what was taken besides. */
export function tokensOf(entries: readonly TranscriptEntry[]): number {
  const answers = new Map(
    entries.flatMap((entry) =>
      entry.kind === "answer" ? [[entry.id, entry.tokens] as const] : [],
    ),
  );
  const spent = entries.reduce(
    (sum, entry) => sum + (entry.kind === "spend" ? entry.tokens : 0),
    0,
  );
  return answers.values().reduce((sum, tokens) => sum + tokens, spent);
}

function tokensIn(usage: unknown): number {
  const fields = record(usage) ?? {};
  return ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
    .map((name) => fields[name])
    .reduce<number>((sum, value) => sum + (typeof value === "number" ? value : 0), 0);
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
  const ids = asked.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  return results.toSorted((a, b) => ids.indexOf(a.tool_use_id) - ids.indexOf(b.tool_use_id));
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

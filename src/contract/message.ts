import { escapeTags } from "./escape-tags.ts";

/** Messages between models and agents: the Messages-API shapes that transcripts hold, as plain data. */

export interface TextBlock {
  type: "text";
  text: string;
}

export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  signature?: string;
}

/** Thinking that the provider hides; sent back unchanged. */
export interface RedactedThinkingBlock {
  type: "redacted_thinking";
  data: string;
}

export interface ImageBlock {
  type: "image";
  source: { type: "base64"; media_type: string; data: string };
}

export interface ToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: Record<string, unknown>;
}

export interface ToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content: ToolResultContent;
  is_error?: boolean;
}

export type ToolResultContent = string | (TextBlock | ImageBlock)[];
export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;
export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;

export interface AssistantMessage {
  role: "assistant";
  content: AssistantBlock[];
}

export interface UserMessage {
  role: "user";
  content: UserBlock[];
}

export type Message = AssistantMessage | UserMessage;

/** Tokens of one answer, or a sum over answers. Cache reads and writes are not part of `input`. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** The sum of two costs in US dollars; `null` is unknown, and so is a sum with an unknown part. */
export function addCost(a: number | null, b: number | null): number | null {
  // Rounded, because a sum of hundreds of small numbers shows binary fractions.
  return a === null || b === null ? null : Math.round((a + b) * 1e12) / 1e12;
}

export function totalTokens(usage: Usage): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}

/** All text blocks of a message or of a tool result, joined. */
export function textOf(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join("\n");
}

export function toolUsesOf(message: AssistantMessage): ToolUseBlock[] {
  return message.content.filter((block) => block.type === "tool_use");
}

/**
 * A text that the harness, not the user, puts in front of the model: instructions, the list of agents, a reminder. The
 * transcript holds it as a line of its own, the request as a `<system-reminder>`.
 */
export interface Attachment {
  type: "instructions" | "agent_listing_delta" | "configuration" | "critical_reminder" | "notice";
  text: string;
  /** Fields that other readers of transcripts expect beside the text, for kinds that they know. */
  details?: Record<string, unknown>;
}

export function attachmentBlock(attachment: Attachment): TextBlock {
  const text = escapeTags(attachment.text, ["system-reminder"]);
  return { type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` };
}

/**
 * One user message, composed of its parts. The order is fixed: the provider wants tool results first, and the part that
 * siblings share (attachments) should precede the part that differs (the prompt).
 */
export function userMessage(parts: {
  results?: readonly ToolResultBlock[];
  attachments?: readonly Attachment[];
  texts?: readonly string[];
}): UserMessage {
  return {
    role: "user",
    content: [
      ...(parts.results ?? []),
      ...(parts.attachments ?? []).map(attachmentBlock),
      ...(parts.texts ?? []).map((text): TextBlock => ({ type: "text", text })),
    ],
  };
}

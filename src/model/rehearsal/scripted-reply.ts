import { newProviderId } from "../provider-id.ts";
import type { AssistantBlock, ToolUseBlock } from "../../contract/message.ts";
import type { AnswerPiece } from "./paced-deltas.ts";
import { piecesOfText, tokensOf } from "./paced-deltas.ts";
import type { ReplyBlock } from "./scenario.ts";
import type { TemplateScope } from "./template.ts";
import { renderText, renderValue } from "./template.ts";

/** A reply as its provider would send it: blocks with their templates filled, cut into pieces for streaming. */
export interface ScriptedReply {
  content: AssistantBlock[];
  pieces: AnswerPiece[];
  /** Call id → text that is not valid JSON. */
  malformed: Record<string, string>;
}

/**
 * Renders a reply. Throws a `TemplateError`. With `spoilt`, the input of the first tool call breaks off before its end.
 */
export function scriptedReply(
  reply: readonly ReplyBlock[],
  scope: TemplateScope,
  { spoilt }: { spoilt: boolean },
): ScriptedReply {
  const whole = reply.map((block) => contentOf(block, scope));
  const first = spoilt ? whole.find((block) => block.type === "tool_use") : undefined;
  return {
    content: whole.map((block) => (block === first ? { ...block, input: {} } : block)),
    pieces: whole.flatMap(piecesOf),
    malformed: first === undefined ? {} : { [first.id]: inputOf(first).slice(0, -1) },
  };
}

function contentOf(block: ReplyBlock, scope: TemplateScope): AssistantBlock {
  if ("thinking" in block) return { type: "thinking", thinking: renderText(block.thinking, scope) };
  if ("text" in block) return { type: "text", text: renderText(block.text, scope) };
  const input = renderValue(block.input, scope) as Record<string, unknown>;
  return { type: "tool_use", id: newProviderId("toolu"), name: block.call, input };
}

function piecesOf(block: AssistantBlock): AnswerPiece[] {
  if (block.type === "thinking") return piecesOfText("thinking", block.thinking);
  if (block.type === "text") return piecesOfText("text", block.text);
  if (block.type !== "tool_use") return [];
  return [{ tokens: tokensOf(inputOf(block)), delta: undefined }];
}

function inputOf(call: ToolUseBlock): string {
  return JSON.stringify(call.input);
}

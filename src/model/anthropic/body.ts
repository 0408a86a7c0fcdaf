import type {
  MessageCreateParamsStreaming,
  MessageParam,
  Tool,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Message } from "../../contract/message.ts";
import type { ModelRequest, ToolSpec } from "../model.ts";

const breakpoint = { type: "ephemeral" } as const;

/**
 * Builds the request body: a pure function of what the agent sees, in the order in which the provider caches it. The
 * breakpoints never move (last tool, system) or are outside the messages (the last one, which the provider places
 * itself), so that two requests of one agent share every byte up to the new messages.
 */
export function requestBody(
  request: ModelRequest,
  maxTokens: number,
): MessageCreateParamsStreaming {
  const { model, tools, system, messages } = request;
  return {
    model,
    max_tokens: maxTokens,
    ...reasoning(request),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolParam) }),
    ...(system === ""
      ? {}
      : { system: [{ type: "text", text: system, cache_control: breakpoint }] }),
    messages: messages.flatMap(messageParam),
    cache_control: breakpoint,
    stream: true,
  };
}

/** Thinking options. Without them the model's own default applies. */
function reasoning({ effort, thinking }: ModelRequest): Partial<MessageCreateParamsStreaming> {
  if (effort !== undefined) return { thinking: { type: "adaptive" }, output_config: { effort } };
  return thinking === "off" ? { thinking: { type: "disabled" } } : {};
}

function toolParam(
  { name, description, input_schema }: ToolSpec,
  index: number,
  tools: readonly ToolSpec[],
): Tool {
  const tool = { name, description, input_schema: input_schema as Tool.InputSchema };
  return index === tools.length - 1 ? { ...tool, cache_control: breakpoint } : tool;
}

/**
 * Leaves out parts that the provider refuses: blank texts, thinking that it did not sign (another model's), empty
 * messages.
 */
function messageParam({ role, content }: Message): MessageParam[] {
  const blocks = content.filter((block) => {
    if (block.type === "text") return block.text.trim() !== "";
    return block.type !== "thinking" || block.signature !== undefined;
  });
  return blocks.length === 0 ? [] : [{ role, content: blocks as MessageParam["content"] }];
}

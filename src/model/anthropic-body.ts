import type {
  MessageCreateParamsStreaming,
  MessageParam,
  Tool,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Message } from "../message.ts";
import type { ModelRequest } from "./model.ts";

const breakpoint = { type: "ephemeral" } as const;

/**
 * The body is a pure function of what the agent sees, in the order in which the provider caches it. The breakpoints lie
 * where they never move (last tool, system) or outside the messages (the last one, which the provider places itself), so
 * that two requests of one agent share every byte up to the new messages.
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
    ...(tools.length === 0 ? {} : { tools: cachedTools(tools) }),
    ...(system === ""
      ? {}
      : { system: [{ type: "text", text: system, cache_control: breakpoint }] }),
    messages: messages.map(acceptable).filter(({ content }) => content.length > 0),
    cache_control: breakpoint,
    stream: true,
  };
}

/** Without a word about it the model's own default applies. */
function reasoning({ effort, thinking }: ModelRequest): Partial<MessageCreateParamsStreaming> {
  if (effort !== undefined) return { thinking: { type: "adaptive" }, output_config: { effort } };
  return thinking === "off" ? { thinking: { type: "disabled" } } : {};
}

function cachedTools(tools: ModelRequest["tools"]): Tool[] {
  const last = tools.length - 1;
  return tools.map(({ name, description, input_schema }, index) => ({
    name,
    description,
    input_schema: input_schema as Tool.InputSchema,
    ...(index === last ? { cache_control: breakpoint } : {}),
  }));
}

/** Without what the provider refuses: blank texts, and thinking that it did not sign (another model's). */
function acceptable({ role, content }: Message): MessageParam & { content: unknown[] } {
  const blocks = content.flatMap((block): unknown[] => {
    if (block.type === "text") return block.text.trim() === "" ? [] : [block];
    if (block.type !== "thinking") return [block];
    return block.signature === undefined ? [] : [block];
  });
  return { role, content: blocks } as MessageParam & { content: unknown[] };
}

import type {
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Message } from "../message.ts";
import type { ModelRequest, ToolSpec } from "./model.ts";

const breakpoint = { type: "ephemeral" } as const;

/**
 * The body is a pure function of what the agent sees, in the order in which the provider caches it. The breakpoints lie
 * where they never move (last tool, system) or outside the messages (the last one, which the provider places itself), so
 * that two requests of one agent share every byte up to the new messages. Only those are made into text anew: a
 * conversation costs what is added to it, not its square.
 */
export function requestText(request: ModelRequest, maxTokens: number): string {
  const { model, tools, system, messages } = request;
  const settings: Settings = { model, max_tokens: maxTokens, ...reasoning(request) };
  // Put together with +, which copies nothing until it is sent.
  let text = JSON.stringify(settings).slice(0, -1);
  if (tools.length > 0) text += `,"tools":[${toolTexts(tools)}]`;
  if (system !== "") text += `,"system":[${systemText(system)}]`;
  text += ',"messages":[';
  let comma = "";
  for (const message of messages.map(messageText)) {
    if (message === "") continue;
    text += comma + message;
    comma = ",";
  }
  return `${text}],${ending}`;
}

type Settings = Omit<MessageCreateParamsStreaming, "stream" | "messages">;

const ending = JSON.stringify({
  cache_control: breakpoint,
  stream: true,
} satisfies Partial<MessageCreateParamsStreaming>).slice(1);

/** Without a word about it the model's own default applies. */
function reasoning({ effort, thinking }: ModelRequest): Partial<Settings> {
  if (effort !== undefined) return { thinking: { type: "adaptive" }, output_config: { effort } };
  return thinking === "off" ? { thinking: { type: "disabled" } } : {};
}

const toolTexts = remembered((tools: readonly ToolSpec[]) => {
  const marked = `,${JSON.stringify({ cache_control: breakpoint }).slice(1)}`;
  return `${tools.map(toolText).join(",").slice(0, -1)}${marked}`;
});

const toolText = remembered((tool: ToolSpec) => JSON.stringify(toolParam(tool)));

function toolParam({ name, description, input_schema }: ToolSpec): Tool {
  return { name, description, input_schema: input_schema as Tool.InputSchema };
}

/** The agents of one type share it, so the last few are enough. */
function systemText(text: string): string {
  let json = systemTexts.get(text);
  if (json !== undefined) return json;
  json = JSON.stringify({ type: "text", text, cache_control: breakpoint } satisfies TextBlockParam);
  if (systemTexts.size >= 20) systemTexts.clear();
  systemTexts.set(text, json);
  return json;
}

const systemTexts = new Map<string, string>();

/** Empty when nothing of the message is acceptable. */
const messageText = remembered((message: Message) => {
  const content = acceptable(message);
  if (content.length === 0) return "";
  return JSON.stringify({ role: message.role, content } satisfies MessageParam);
});

/** Without what the provider refuses: blank texts, and thinking that it did not sign (another model's). */
function acceptable({ content }: Message): Exclude<MessageParam["content"], string> {
  const blocks = content.flatMap((block): unknown[] => {
    if (block.type === "text") return block.text.trim() === "" ? [] : [block];
    if (block.type !== "thinking") return [block];
    return block.signature === undefined ? [] : [block];
  });
  return blocks as Exclude<MessageParam["content"], string>;
}

/** Asked for the same thing again, it gives what it gave. For things that do not change. */
function remembered<Thing extends object>(
  write: (thing: Thing) => string,
): (thing: Thing) => string {
  const texts = new WeakMap<Thing, string>();
  return (thing) => {
    let text = texts.get(thing);
    if (text === undefined) texts.set(thing, (text = write(thing)));
    return text;
  };
}

import type {
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Message } from "../message.ts";
import { sameItems } from "../platform/same-items.ts";
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

/** The agents of one type share their tools and what they are told. */
const toolTexts = recently(sameItems, (tools: readonly ToolSpec[]) => {
  const marked = `,${JSON.stringify({ cache_control: breakpoint }).slice(1)}`;
  const texts = tools.map((tool) => JSON.stringify(toolParam(tool)));
  return `${texts.join(",").slice(0, -1)}${marked}`;
});

function toolParam({ name, description, input_schema }: ToolSpec): Tool {
  return { name, description, input_schema: input_schema as Tool.InputSchema };
}

const systemText = recently(Object.is, (text: string) =>
  JSON.stringify({ type: "text", text, cache_control: breakpoint } satisfies TextBlockParam),
);

/**
 * A message does not change, and is sent again in every turn. Its text is kept with it, where nobody else sees it, and not in a
 * `WeakMap`: V8 clears away what such a map holds later than the message. Empty when nothing of the message is acceptable.
 */
function messageText(message: Message & { readonly [written]?: string }): string {
  const known = message[written];
  if (known !== undefined) return known;
  const content = acceptable(message);
  const { role } = message;
  const text = content.length === 0 ? "" : JSON.stringify({ role, content } satisfies MessageParam);
  if (Object.isExtensible(message)) Object.defineProperty(message, written, { value: text });
  return text;
}

const written = Symbol("written");

/** Without what the provider refuses: blank texts, and thinking that it did not sign (another model's). */
function acceptable({ content }: Message): Exclude<MessageParam["content"], string> {
  const blocks = content.flatMap((block): unknown[] => {
    if (block.type === "text") return block.text.trim() === "" ? [] : [block];
    if (block.type !== "thinking") return [block];
    return block.signature === undefined ? [] : [block];
  });
  return blocks as Exclude<MessageParam["content"], string>;
}

/** Asked for the same thing as a short while ago, it gives what it gave. */
function recently<Thing>(
  isSame: (one: Thing, other: Thing) => boolean,
  write: (thing: Thing) => string,
): (thing: Thing) => string {
  const known: { thing: Thing; text: string }[] = [];
  return (thing) => {
    const found = known.find((one) => isSame(one.thing, thing));
    if (found !== undefined) return found.text;
    const text = write(thing);
    if (known.push({ thing, text }) > 20) known.shift();
    return text;
  };
}

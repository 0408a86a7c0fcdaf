import type {
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Message } from "../message.ts";
import type { HttpBody } from "./http-fetch.ts";
import type { ModelRequest, ToolSpec } from "./model.ts";

const breakpoint = { type: "ephemeral" } as const;

/**
 * The body is a pure function of what the agent sees, in the order in which the provider caches it. The breakpoints lie
 * where they never move (last tool, system) or outside the messages (the last one, which the provider places itself), so
 * that two requests of one agent share every byte up to the new messages. Only those are made into text anew: a
 * conversation costs what is added to it, not its square. Tools and system prompt are the larger part of most requests and
 * the same for all agents of a type, so they are bytes already.
 */
export function requestBody(request: ModelRequest, maxTokens: number): HttpBody {
  const { model, tools, system, messages } = request;
  const settings: Settings = { model, max_tokens: maxTokens, ...reasoning(request) };
  // Put together with +, which copies nothing until it is sent.
  let text = ',"messages":[';
  let comma = "";
  for (const message of messages.map(messageText)) {
    if (message === "") continue;
    text += comma + message;
    comma = ",";
  }
  return [
    JSON.stringify(settings).slice(0, -1),
    ...(tools.length > 0 ? [toolBytes(tools)] : []),
    ...(system === "" ? [] : [systemBytes(system)]),
    `${text}],${ending}`,
  ];
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

/** Agents with the same tools share them, in an array of their own each. */
function toolBytes(tools: readonly ToolSpec[]): Buffer {
  return lastTools(tools.map(toolNumber).join(), () => {
    const marked = `,${JSON.stringify({ cache_control: breakpoint }).slice(1)}`;
    return `,"tools":[${tools.map(toolText).join(",").slice(0, -1)}${marked}]`;
  });
}

const lastTools = lastFew();
let tools = 0;
/** Tells tools apart. */
const toolNumber = remembered<ToolSpec>(() => String((tools += 1)));

const toolText = remembered((tool: ToolSpec) => JSON.stringify(toolParam(tool)));

function toolParam({ name, description, input_schema }: ToolSpec): Tool {
  return { name, description, input_schema: input_schema as Tool.InputSchema };
}

function systemBytes(text: string): Buffer {
  return lastSystems(text, () => {
    const block = { type: "text", text, cache_control: breakpoint } satisfies TextBlockParam;
    return `,"system":[${JSON.stringify(block)}]`;
  });
}

const lastSystems = lastFew();

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

/** What is shared by the agents of one type: there are few at a time, so the last ones are enough. */
function lastFew(): (key: string, write: () => string) => Buffer {
  const known = new Map<string, Buffer>();
  return (key, write) => {
    let bytes = known.get(key);
    if (bytes !== undefined) return bytes;
    bytes = Buffer.from(write());
    if (known.size >= 20) known.clear();
    known.set(key, bytes);
    return bytes;
  };
}

import type {
  RawContentBlockDelta,
  RawContentBlockStartEvent,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { StopReason } from "../../events/event.ts";
import {
  noUsage,
  type AssistantBlock,
  type ToolUseBlock,
  type Usage,
} from "../../contract/message.ts";
import { newProviderId } from "../provider-id.ts";
import { ModelError, type ModelAnswer, type ModelDelta } from "../model.ts";

/** An answer that is arriving: raw events in, pieces to show out, the whole answer at the end. */
export class AnthropicDraft {
  readonly #blocks = new Map<number, AssistantBlock>();
  /** Block index → the input of a tool call so far. */
  readonly #inputs = new Map<number, string>();
  readonly #askedModel: string;
  #id: string | undefined;
  #model: string | undefined;
  #stopReason: string | null = null;
  #usage: Usage = noUsage;
  #complete = false;

  constructor(askedModel: string) {
    this.#askedModel = askedModel;
  }

  /** Applies an event. Skips events, blocks and deltas of unknown types, because the protocol may grow. */
  take(event: RawMessageStreamEvent): ModelDelta | undefined {
    switch (event.type) {
      case "message_start":
        this.#id = event.message.id;
        this.#model = event.message.model;
        this.#count(event.message.usage);
        return { type: "usage", model: event.message.model, usage: this.#usage };
      case "content_block_start":
        return this.#open(event.index, event.content_block);
      case "content_block_delta":
        return this.#extend(event.index, event.delta);
      case "message_delta":
        this.#stopReason = event.delta.stop_reason;
        this.#count(event.usage);
        return { type: "usage", model: this.#model ?? this.#askedModel, usage: this.#usage };
      case "message_stop":
        this.#complete = true;
        return undefined;
      default:
        return undefined;
    }
  }

  answer(requestId: string): ModelAnswer {
    if (!this.#complete) {
      throw new ModelError("stream_broken", "The model's answer broke off before its end.");
    }
    const malformed: Record<string, string> = {};
    const content = [...this.#blocks].flatMap(([index, block]): AssistantBlock[] => {
      if (block.type === "text" && block.text === "") return [];
      if (block.type !== "tool_use") return [block];
      const raw = this.#inputs.get(index) ?? "";
      const input = raw.trim() === "" ? block.input : parsedInput(raw);
      if (input === undefined) malformed[block.id] = raw;
      return [{ ...block, input: input ?? {} }];
    });
    return {
      id: this.#id ?? newProviderId("msg"),
      requestId,
      model: this.#model ?? this.#askedModel,
      message: { role: "assistant", content },
      stopReason: stopReasons.get(this.#stopReason ?? "") ?? "end_turn",
      usage: this.#usage,
      malformed,
    };
  }

  #open(index: number, block: RawContentBlockStartEvent["content_block"]): ModelDelta | undefined {
    switch (block.type) {
      case "text":
        this.#blocks.set(index, { type: "text", text: block.text });
        return block.text === "" ? undefined : { type: "text", text: block.text };
      case "thinking": {
        const signed = block.signature ? { signature: block.signature } : {};
        this.#blocks.set(index, { type: "thinking", thinking: block.thinking, ...signed });
        return block.thinking === "" ? undefined : { type: "thinking", text: block.thinking };
      }
      case "redacted_thinking":
        this.#blocks.set(index, { type: "redacted_thinking", data: block.data });
        return undefined;
      case "tool_use": {
        const { id, name, input } = block;
        this.#blocks.set(index, { type: "tool_use", id, name, input: record(input) ?? {} });
        return undefined;
      }
      default:
        return undefined;
    }
  }

  #extend(index: number, delta: RawContentBlockDelta): ModelDelta | undefined {
    const block = this.#blocks.get(index);
    if (delta.type === "text_delta" && block?.type === "text") {
      block.text += delta.text;
      return { type: "text", text: delta.text };
    }
    if (delta.type === "thinking_delta" && block?.type === "thinking") {
      block.thinking += delta.thinking;
      return { type: "thinking", text: delta.thinking };
    }
    if (delta.type === "signature_delta" && block?.type === "thinking") {
      block.signature = delta.signature;
      return undefined;
    }
    if (delta.type !== "input_json_delta" || block?.type !== "tool_use") return undefined;
    this.#inputs.set(index, (this.#inputs.get(index) ?? "") + delta.partial_json);
    return { type: "alive" };
  }

  /** Updates the usage. Numbers are totals so far; later ones replace earlier ones, and missing ones stay. */
  #count(usage: Partial<Record<UsageField, number | null>> | undefined): void {
    this.#usage = {
      input: usage?.input_tokens ?? this.#usage.input,
      output: usage?.output_tokens ?? this.#usage.output,
      cacheRead: usage?.cache_read_input_tokens ?? this.#usage.cacheRead,
      cacheWrite: usage?.cache_creation_input_tokens ?? this.#usage.cacheWrite,
    };
  }
}

type UsageField =
  | "input_tokens"
  | "output_tokens"
  | "cache_read_input_tokens"
  | "cache_creation_input_tokens";

/**
 * Stop reasons. A turn that was paused, or that filled the context window, is unfinished, like one that met the length
 * limit.
 */
const stopReasons: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ["end_turn", "end_turn"],
  ["tool_use", "tool_use"],
  ["max_tokens", "max_tokens"],
  ["stop_sequence", "stop_sequence"],
  ["refusal", "refusal"],
  ["pause_turn", "max_tokens"],
  ["model_context_window_exceeded", "max_tokens"],
]);

/** Parses the input of a call; `undefined`: not a JSON object. */
export function parsedInput(raw: string): ToolUseBlock["input"] | undefined {
  try {
    return record(JSON.parse(raw));
  } catch {
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

import { onTestFinished } from "vitest";
import type { Message, ToolUseBlock } from "../../contract/message.ts";
import {
  AnthropicServer,
  type Play,
  type ReceivedRequest,
  type WireEvent,
} from "./server-fixture.ts";
import { createAnthropic, type AnthropicOptions } from "./anthropic.ts";
import {
  ModelError,
  type Model,
  type ModelAnswer,
  type ModelDelta,
  type ModelRequest,
} from "../model.ts";

export const hello = { type: "text", text: "hello" } as const;

export async function serve(
  play: (request: ReceivedRequest) => Play,
  options: AnthropicOptions = {},
): Promise<{ model: Model; server: AnthropicServer }> {
  const server = await AnthropicServer.start(play);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { model: createAnthropic({ apiKey: "sk-test", baseURL: server.url, ...options }), server };
}

export function streamed(events: readonly WireEvent[]): Play & { kind: "stream" } {
  return { kind: "stream", events, end: "done" };
}

export function said<Role extends Message["role"]>(
  role: Role,
  ...content: (Message & { role: Role })["content"]
): Message {
  return { role, content } as Message;
}

export function call(id: string, name: string, input: Record<string, unknown>): ToolUseBlock {
  return { type: "tool_use", id, name, input };
}

export function tool(name: string): ModelRequest["tools"][number] {
  return { name, description: "A tool.", input_schema: { type: "object" } };
}

export function requestOf(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "a-model",
    system: "",
    tools: [],
    messages: [said("user", { type: "text", text: "go" })],
    origin: { agentId: "a", agentType: "tester", turn: 1, attempt: 1 },
    ...fields,
  };
}

export async function collect(
  model: Model,
  fields: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<{ deltas: ModelDelta[]; answer: ModelAnswer }> {
  const deltas: ModelDelta[] = [];
  const stream = model.stream(requestOf(fields), signal);
  for (;;) {
    const step = await stream.next();
    if (step.done === true) return { deltas, answer: step.value };
    if (step.value.type !== "usage") deltas.push(step.value);
  }
}

export async function failureOf(
  model: Model,
): Promise<Pick<ModelError, "code" | "message" | "retryAfterMs"> & { deltas: ModelDelta[] }> {
  const deltas: ModelDelta[] = [];
  try {
    for await (const delta of model.stream(requestOf(), new AbortController().signal)) {
      if (delta.type !== "usage") deltas.push(delta);
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const { code, message, retryAfterMs } = error;
    return { code, message, retryAfterMs, deltas };
  }
  throw new Error("the request should have failed");
}

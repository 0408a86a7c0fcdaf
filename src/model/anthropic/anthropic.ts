import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages/messages";
import { findCredentials, type Credentials } from "./credentials.ts";
import { requestBody } from "./body.ts";
import { loadLibrary } from "./client.ts";
import { AnthropicDraft } from "./draft.ts";
import { interruption, noStream, refusal, streamFault } from "./errors.ts";
import { searchBody, SearchDraft } from "./search.ts";
import { ModelError, type Model, type ModelDelta } from "../model.ts";
import { newProviderId } from "../provider-id.ts";

export interface AnthropicOptions extends Credentials {
  /** Length limit of an answer, in tokens. */
  maxTokens?: number;
}

/**
 * Claude, through the official client library. The library is loaded from now on, so that the first request need not
 * wait for it. It sends the request and decodes the stream; retries, time limits and the assembly of answers are ours.
 *
 * Throws `no_model` at once if there are no credentials.
 */
export function createAnthropic(options: AnthropicOptions = {}): Model {
  const account = findCredentials(options, process.env);
  const maxTokens = options.maxTokens ?? 32_000;
  const library = loadLibrary(account);
  // The first request reports a failure.
  library.catch(() => undefined);

  /** Sends a request, yields the pieces of its answer that can be shown, and returns the whole answer. */
  async function* converse<Answer>(
    body: MessageCreateParamsStreaming,
    draft: Draft<Answer>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelDelta, Answer> {
    signal.throwIfAborted();
    const { client, APIError, Stream } = await library;
    signal.throwIfAborted();
    const request = new AbortController();
    const hangUp = (): void => request.abort();
    signal.addEventListener("abort", hangUp);
    let arriving: AsyncIterator<ServerEvent> | undefined;
    let complete = false;
    try {
      const response = await client
        .post("/v1/messages", { body, stream: true, signal: request.signal })
        .asResponse();
      const type = (response.headers.get("content-type") ?? "text/event-stream").toLowerCase();
      if (!type.startsWith("text/event-stream")) throw noStream(type, account.baseURL);
      arriving = Stream.rawEvents(response, request);
      for (;;) {
        const step = await arriving.next();
        signal.throwIfAborted();
        if (step.done === true) break;
        const event = parsed(step.value);
        const delta = event === undefined ? undefined : draft.take(event);
        if (delta !== undefined) yield delta;
        signal.throwIfAborted();
        if (event?.type !== "message_stop") continue;
        complete = true;
        return draft.answer(response.headers.get("request-id") || newProviderId("req"));
      }
      throw new ModelError("stream_broken", "The model's answer broke off before its end.");
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelError) throw error;
      if (error instanceof APIError) throw refusal(error, body.model, account);
      throw arriving === undefined ? error : interruption(error);
    } finally {
      signal.removeEventListener("abort", hangUp);
      if (complete && arriving !== undefined) void readOn(arriving, request);
      else request.abort();
    }
  }

  return {
    provider: "anthropic",
    scripted: false,
    stream: (request, signal) =>
      converse(requestBody(request, maxTokens), new AnthropicDraft(request.model), signal),
    search: (query, signal) => converse(searchBody(query), new SearchDraft(query), signal),
  };
}

/** An answer that is arriving. */
interface Draft<Answer> {
  take(event: RawMessageStreamEvent): ModelDelta | undefined;
  /** The whole answer, after the last event. */
  answer(requestId: string): Answer;
}

interface ServerEvent {
  event: string | null;
  data: string;
}

/**
 * Parses an event. Throws for a fault that the server reports; skips events of unknown names, because the protocol may
 * grow.
 */
function parsed({ event, data }: ServerEvent): RawMessageStreamEvent | undefined {
  if (event === "error") throw streamFault(data);
  return known.has(event ?? "") ? (JSON.parse(data) as RawMessageStreamEvent) : undefined;
}

const known: ReadonlySet<string> = new Set<RawMessageStreamEvent["type"]>([
  "message_start",
  "message_delta",
  "message_stop",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
]);

/** Reads a body to its end, for at most a second, so that its connection can serve the next request. */
async function readOn(arriving: AsyncIterator<unknown>, request: AbortController): Promise<void> {
  const late = setTimeout(() => request.abort(), 1000);
  try {
    while ((await arriving.next()).done !== true);
  } catch {
    // The answer is already complete.
  } finally {
    clearTimeout(late);
  }
}

import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages/messages";
import { accountOf, type Credentials } from "./anthropic-account.ts";
import { requestText } from "./anthropic-body.ts";
import { loadLibrary } from "./anthropic-client.ts";
import { AnthropicDraft } from "./anthropic-draft.ts";
import { interruption, noStream, refusal, streamFault } from "./anthropic-errors.ts";
import { SearchDraft, searchText } from "./anthropic-search.ts";
import { bodyOf, type HttpInit } from "./http/http-fetch.ts";
import { isText, ModelError, type Model, type ModelDelta } from "./model.ts";
import { newProviderId } from "./provider-id.ts";
import { ServerEvents, type ServerEvent } from "./server-events.ts";

export interface AnthropicOptions extends Credentials {
  /** The longest answer to ask for, in tokens. */
  maxTokens?: number;
}

/**
 * Claude, through the official client library, which is loaded from now on, so that the first request need not wait for
 * it. Of the library we use the request and its errors; reading the stream, retries, limits of time and the assembly of answers are ours.
 *
 * Throws `no_model` at once when there are no credentials.
 */
export function createAnthropic(options: AnthropicOptions = {}): Model {
  const account = accountOf(options, process.env);
  const maxTokens = options.maxTokens ?? 32_000;
  const library = loadLibrary(account);
  // Whoever asks hears of it.
  library.catch(() => undefined);

  /** Sends a request, hands out what its answer gives to show as it arrives, and returns the whole. */
  async function* converse<Answer>(
    body: string,
    draft: Draft<Answer>,
    { model, signal }: { model: string; signal: AbortSignal },
  ): AsyncGenerator<ModelDelta, Answer> {
    signal.throwIfAborted();
    const { client, APIError } = await library;
    let arriving: ServerEvents | undefined;
    let complete = false;
    try {
      signal.throwIfAborted();
      const fetchOptions: object = { hangUp: signal } satisfies HttpInit;
      const response = await client
        .post("/v1/messages", { body, headers, stream: true, fetchOptions })
        .asResponse();
      arriving = new ServerEvents(bodyOf(response));
      const type = (response.headers.get("content-type") ?? "text/event-stream").toLowerCase();
      if (!type.startsWith("text/event-stream")) throw noStream(type, account.baseURL);
      for (;;) {
        const arrived = await arriving.next();
        if (arrived === undefined) break;
        signal.throwIfAborted();
        const { events, fault } = parsed(arrived);
        complete = events.at(-1)?.type === "message_stop";
        const deltas = events.flatMap((event) => draft.take(event) ?? []);
        for (const delta of complete ? deltas.filter(isText) : worthTelling(deltas)) {
          yield delta;
          signal.throwIfAborted();
        }
        if (fault !== undefined) throw fault;
        // Whether the body ends must not cost the answer.
        if (complete)
          return draft.answer(response.headers.get("request-id") || newProviderId("req"));
      }
      throw new ModelError("stream_broken", "The model's answer broke off before its end.");
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelError) throw error;
      if (error instanceof APIError) throw refusal(error, model, account);
      throw arriving === undefined ? error : interruption(error);
    } finally {
      if (complete) arriving?.finish();
      else arriving?.destroy();
    }
  }

  return {
    provider: "anthropic",
    scripted: false,
    stream: (request, signal) => {
      const { model } = request;
      const draft = new AnthropicDraft(model);
      return converse(requestText(request, maxTokens), draft, { model, signal });
    },
    search: (query, signal) => {
      const { model } = query;
      return converse(searchText(query), new SearchDraft(query), { model, signal });
    },
  };
}

/** Of what arrived at once: the last count and all text, or else one sign of life. */
function worthTelling(deltas: readonly ModelDelta[]): readonly ModelDelta[] {
  const count = deltas.findLast(({ type }) => type === "usage");
  const told = [...(count === undefined ? [] : [count]), ...deltas.filter(isText)];
  return told.length > 0 ? told : deltas.slice(0, 1);
}

/** An answer that is arriving. */
interface Draft<Answer> {
  take(event: RawMessageStreamEvent): ModelDelta | undefined;
  /** Once the last event was taken. */
  answer(requestId: string): Answer;
}

/** Up to the end of the answer, or to a fault; what comes after the end counts for nothing. */
function parsed(arrived: readonly ServerEvent[]): {
  events: RawMessageStreamEvent[];
  fault?: unknown;
} {
  const events: RawMessageStreamEvent[] = [];
  for (const { name, data } of arrived) {
    if (name === "error") return { events, fault: streamFault(data) };
    if (!known.has(name)) continue;
    try {
      events.push(JSON.parse(data) as RawMessageStreamEvent);
    } catch (error) {
      return { events, fault: error };
    }
    if (name === "message_stop") break;
  }
  return { events };
}

/** Events of other names (pings, and what the protocol may grow) are passed over. */
const known: ReadonlySet<string> = new Set<RawMessageStreamEvent["type"]>([
  "message_start",
  "message_delta",
  "message_stop",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
]);

/** The body is text already. */
const headers = { "content-type": "application/json" };

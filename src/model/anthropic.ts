import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { APIError } from "@anthropic-ai/sdk/core/error";
import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages/messages";
import { RetinueError } from "../errors.ts";
import { requestText } from "./anthropic-body.ts";
import { AnthropicDraft } from "./anthropic-draft.ts";
import { interruption, noAnswer, noStream, refusal, streamFault } from "./anthropic-errors.ts";
import { SearchDraft, searchText } from "./anthropic-search.ts";
import { createPost } from "./http-post.ts";
import { ModelError, type Model, type ModelDelta, type TextDelta } from "./model.ts";
import { PlainHeaders } from "./plain-headers.ts";
import { finish, readServerEvents, type ServerEvent } from "./server-events.ts";

export interface AnthropicOptions {
  /** Default: `ANTHROPIC_API_KEY`. A key wins over a token. */
  apiKey?: string;
  /** Default: `ANTHROPIC_AUTH_TOKEN`. */
  authToken?: string;
  /** Default: `ANTHROPIC_BASE_URL`, else Anthropic's own server. */
  baseURL?: string;
  /** The longest answer to ask for, in tokens. */
  maxTokens?: number;
}

/**
 * Claude, with the official client library, which is loaded with the first request. It says how a request looks and
 * what a refusal means; sending, reading the stream, retries, limits of time and the assembly of answers are ours.
 *
 * Throws `no_model` at once when there are no credentials.
 */
export function createAnthropic(options: AnthropicOptions = {}): Model {
  const account = accountOf(options, process.env);
  const maxTokens = options.maxTokens ?? 32_000;
  let library: Promise<Library> | undefined;

  /** Sends a request, hands out what its answer gives to show as it arrives, and returns the whole. */
  async function* converse<Answer>(
    body: string,
    draft: Draft<Answer>,
    { model, signal }: { model: string; signal: AbortSignal },
  ): AsyncGenerator<ModelDelta, Answer> {
    signal.throwIfAborted();
    library ??= load(account);
    const { post, APIError } = await library;
    let arriving: IncomingMessage | undefined;
    let complete = false;
    try {
      signal.throwIfAborted();
      arriving = await post(body, signal);
      if (arriving.statusCode !== 200) throw await refused(arriving, APIError);
      const type = (arriving.headers["content-type"] ?? "text/event-stream").toLowerCase();
      if (!type.startsWith("text/event-stream")) throw noStream(type, account.baseURL);
      for await (const arrived of readServerEvents(arriving)) {
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
        if (complete) return draft.answer(String(arriving.headers["request-id"] || newRequestId()));
      }
      throw new ModelError("stream_broken", "The model's answer broke off before its end.");
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelError) throw error;
      if (error instanceof APIError) throw refusal(error, model, account);
      throw arriving === undefined ? noAnswer(error, account.baseURL) : interruption(error);
    } finally {
      if (arriving !== undefined && complete) finish(arriving);
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

function isText(delta: ModelDelta): delta is TextDelta {
  return delta.type === "text" || delta.type === "thinking";
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

function newRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}

interface Account {
  credential: { apiKey: string } | { authToken: string };
  /** Where the credential was found, for people. */
  place: string;
  baseURL: string;
}

function accountOf(options: AnthropicOptions, env: NodeJS.ProcessEnv): Account {
  const baseURL = options.baseURL?.trim() || env["ANTHROPIC_BASE_URL"]?.trim() || ownServer;
  if (!URL.canParse(baseURL)) {
    throw new RetinueError(
      "invalid_config",
      `'${baseURL}' is no address for the Anthropic API. Correct ANTHROPIC_BASE_URL or the option baseURL.`,
    );
  }
  const places = [
    ["apiKey", "the option apiKey", options.apiKey],
    ["authToken", "the option authToken", options.authToken],
    ["apiKey", "ANTHROPIC_API_KEY", env["ANTHROPIC_API_KEY"]],
    ["authToken", "ANTHROPIC_AUTH_TOKEN", env["ANTHROPIC_AUTH_TOKEN"]],
  ] as const;
  for (const [kind, place, value] of places) {
    const secret = value?.trim() ?? "";
    if (secret === "") continue;
    // Checked here because the error of the header that cannot carry it would show it.
    if (!/^[\x21-\x7e]+$/.test(secret)) {
      throw new RetinueError("no_model", `${place} has characters that no key has. Copy it again.`);
    }
    const credential = kind === "apiKey" ? { apiKey: secret } : { authToken: secret };
    return { credential, place, baseURL };
  }
  throw new RetinueError(
    "no_model",
    "No credentials for the Anthropic API. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN for a bearer token).",
  );
}

const ownServer = "https://api.anthropic.com";

interface Library {
  post: ReturnType<typeof createPost>;
  APIError: typeof APIError;
}

/**
 * The library says where a request goes and what stands in its head: address, credentials, version. That is the same for
 * all of them, so it is asked once. It is loaded in parts, one `import` after the other: so bundlers drop the rest of it,
 * which makes it load three times as fast.
 */
async function load({ credential, baseURL }: Account): Promise<Library> {
  const { BaseAnthropic } = await import("@anthropic-ai/sdk/client");
  const { APIError } = await import("@anthropic-ai/sdk/core/error");
  const client = new BaseAnthropic({ ...credential, baseURL, openTelemetry: false });
  const { req, url } = await client.buildRequest({
    method: "post",
    path: "/v1/messages",
    headers: { "content-type": "application/json" },
    body: "{}",
    stream: true,
  });
  const headers = Object.fromEntries(req.headers as Iterable<[string, string]>);
  // What the provider need not know: the machine, its system and its Node.
  for (const name of Object.keys(headers)) if (/^x-stainless-/.test(name)) delete headers[name];
  return { post: createPost(url, headers), APIError };
}

/** A refusal as the library has it. */
async function refused(message: IncomingMessage, Refusal: typeof APIError): Promise<APIError> {
  const body = await text(message);
  const headers = new PlainHeaders(message.headers as Record<string, string>);
  let error: object | undefined;
  try {
    error = JSON.parse(body) as object;
  } catch {
    error = undefined;
  }
  const words = error === undefined ? body : undefined;
  return Refusal.generate(message.statusCode, error, words, headers as unknown as Headers);
}

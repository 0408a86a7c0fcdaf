import { randomUUID } from "node:crypto";
import type { APIError } from "@anthropic-ai/sdk/core/error";
import type { Messages } from "@anthropic-ai/sdk/resources/messages/messages";
import { RetinueError } from "../errors.ts";
import { requestBody } from "./anthropic-body.ts";
import { AnthropicDraft } from "./anthropic-draft.ts";
import { interruption, refusal } from "./anthropic-errors.ts";
import { createHttpFetch } from "./http-fetch.ts";
import type { Model, ModelAnswer, ModelDelta, ModelRequest } from "./model.ts";
import { longestTimer } from "../longest-timer.ts";

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
 * Claude, through the official client library, which is loaded with the first request. Of the library we use the
 * request and the raw events; retries, limits of time and the assembly of answers are ours.
 *
 * Throws `no_model` at once when there are no credentials.
 */
export function createAnthropic(options: AnthropicOptions = {}): Model {
  const account = accountOf(options, process.env);
  const maxTokens = options.maxTokens ?? 32_000;
  let library: Promise<Library> | undefined;

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelDelta, ModelAnswer> {
    signal.throwIfAborted();
    library ??= load(account);
    const { messages, isApiError } = await library;
    const { data: events, request_id } = await messages
      .create(requestBody(request, maxTokens), { signal })
      .withResponse()
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw isApiError(error) ? refusal(error, request.model, account) : error;
      });
    const draft = new AnthropicDraft();
    const arriving = events[Symbol.asyncIterator]();
    try {
      for (;;) {
        // Read to the end of the body, not only of the answer: then the connection serves the next request too. But a
        // server that leaves it open must not cost the answer.
        const next = arriving.next();
        const step = draft.complete ? await soon(next) : await next;
        if (step === undefined || step.done === true) break;
        signal.throwIfAborted();
        const delta = draft.take(step.value);
        if (delta === undefined) continue;
        yield delta;
        signal.throwIfAborted();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!draft.complete) throw interruption(error, isApiError);
    } finally {
      // Closes the connection if anything is left on it. Not awaited: it would wait for what does not come.
      arriving.return?.(undefined).catch(() => undefined);
    }
    signal.throwIfAborted();
    return draft.answer(request.model, request_id || `req_${randomUUID().replaceAll("-", "")}`);
  }

  return { provider: "anthropic", scripted: false, stream };
}

/** What the promise gives within a second, else nothing. */
function soon<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(resolve, 1000, undefined);
    promise.then(resolve, reject).finally(() => clearTimeout(late));
  });
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
  messages: Messages;
  isApiError: (error: unknown) => error is APIError;
}

/**
 * The parts instead of the whole client, one `import` after the other: so bundlers drop the rest of the library, which
 * makes it load three times as fast.
 */
async function load({ credential, baseURL }: Account): Promise<Library> {
  const { BaseAnthropic } = await import("@anthropic-ai/sdk/client");
  const { Messages } = await import("@anthropic-ai/sdk/resources/messages/messages");
  const { APIError } = await import("@anthropic-ai/sdk/core/error");
  const client = new BaseAnthropic({
    ...credential,
    baseURL,
    maxRetries: 0,
    fetch: createHttpFetch(),
    // The longest that a timer can wait: the caller's watchdog is the one that counts.
    timeout: longestTimer,
    // It would write raw text from the server to the terminal.
    logLevel: "off",
    // Spans are made from our events.
    openTelemetry: false,
  });
  return {
    messages: new Messages(client),
    isApiError: (error): error is APIError => error instanceof APIError,
  };
}

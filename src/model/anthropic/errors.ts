import type { APIError } from "@anthropic-ai/sdk/core/error";
import { errorMessage } from "../../contract/errors.ts";
import { ModelError, type ModelErrorCode } from "../model.ts";

/** The error for a request that got no answer. */
export function refusal(
  error: APIError,
  model: string,
  { place, baseURL }: { place: string; baseURL: string },
): ModelError {
  const { status } = error;
  const said = (error.apiMessage ?? error.message).replace(/\.$/, "");
  const retryAfterMs = retryAfter(error.headers);
  const wait = retryAfterMs ? ` It asks to wait ${Math.ceil(retryAfterMs / 1000)} s.` : "";
  const fault = (code: ModelErrorCode, message: string): ModelError =>
    new ModelError(code, message, {
      cause: error,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  if (status === undefined || status === 408) {
    return fault("connection", `No answer from ${baseURL}: ${deepestMessage(error)}.`);
  }
  if (status === 429)
    return fault("rate_limited", `The Anthropic API limits the rate: ${said}.${wait}`);
  if (status === 529)
    return fault("overloaded", `The Anthropic API is overloaded: ${said}.${wait}`);
  // 409: a conflict with another request. It is temporary, as the library's own policy has it.
  if (status >= 500 || status === 409) {
    return fault("server_error", `The Anthropic API failed (${status}): ${said}`);
  }
  if (status === 401 || status === 403) {
    return fault(
      "unauthorized",
      `The Anthropic API refused the credentials (${status}): ${said}. Check ${place}: it must be one that may use ${model}.`,
    );
  }
  if (status === 404) {
    return fault(
      "invalid_request",
      `The Anthropic API at ${baseURL} has no model '${model}' (404): ${said}. Check the model's name and ANTHROPIC_BASE_URL.`,
    );
  }
  return fault("invalid_request", `The Anthropic API refused the request (${status}): ${said}`);
}

/** The error for a success that is not a stream: a proxy's login page, another service. */
export function noStream(type: string, baseURL: string): ModelError {
  const message = `${baseURL} answers with ${type} instead of a stream of events. Check ANTHROPIC_BASE_URL, and any proxy in between.`;
  return new ModelError("invalid_request", message);
}

/** The error for an interrupted answer, in the words of the network. */
export function interruption(error: unknown): ModelError {
  const message = `The model's answer broke off: ${deepestMessage(error)}.`;
  return new ModelError("stream_broken", message, { cause: error });
}

/** The error for an interrupted answer, in the words of the provider: the data of its `error` event. */
export function streamFault(data: string): ModelError {
  const { type, message } = errorOf(data);
  const code = streamCodes.get(type ?? "") ?? "stream_broken";
  return new ModelError(code, `The model's answer broke off: ${message ?? data}`);
}

function errorOf(data: string): { type?: string; message?: string } {
  try {
    const { error } = JSON.parse(data) as { error?: { type?: string; message?: string } };
    return error ?? {};
  } catch {
    return {};
  }
}

const streamCodes: ReadonlyMap<string, ModelErrorCode> = new Map<string, ModelErrorCode>([
  ["overloaded_error", "overloaded"],
  ["rate_limit_error", "rate_limited"],
  ["api_error", "server_error"],
]);

/** Parses `retry-after-ms`, else `retry-after` in seconds or as a date. */
function retryAfter(headers: Headers | undefined): number | undefined {
  const milliseconds = headers?.get("retry-after-ms") ?? "";
  if (/^\d+(\.\d+)?$/.test(milliseconds)) return Math.round(Number(milliseconds));
  const text = headers?.get("retry-after") ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** The network's own message, which the library wraps in "Connection error." and "fetch failed". */
function deepestMessage(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  // Each address of a name can fail, and the error that collects them has no message of its own.
  const all =
    deepest instanceof AggregateError && deepest.message === "" ? deepest.errors : [deepest];
  return all.map(errorMessage).join(", ").replace(/\.$/, "");
}

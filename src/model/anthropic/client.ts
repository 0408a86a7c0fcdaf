import type { BaseAnthropic } from "@anthropic-ai/sdk/client";
import type { Stream } from "@anthropic-ai/sdk/core/streaming";
import { longestTimer } from "../../contract/longest-timer.ts";
import type { FoundCredentials } from "./credentials.ts";
import { httpFetch } from "./http-fetch.ts";

export interface Library {
  client: BaseAnthropic;
  APIError: typeof BaseAnthropic.APIError;
  Stream: typeof Stream;
}

/** Loads two parts of the provider's client library: the whole takes three times as long to load. */
export async function loadLibrary({ credential, baseURL }: FoundCredentials): Promise<Library> {
  const { BaseAnthropic } = await import("@anthropic-ai/sdk/client");
  const { Stream } = await import("@anthropic-ai/sdk/core/streaming");
  const client = new BaseAnthropic({
    ...credential,
    baseURL,
    fetch: httpFetch,
    // Retries and time limits belong to the caller.
    maxRetries: 0,
    timeout: longestTimer,
    // The library would write raw text from the server to the terminal.
    logLevel: "off",
    // Spans are made from our events.
    openTelemetry: false,
  });
  return { client, APIError: BaseAnthropic.APIError, Stream };
}

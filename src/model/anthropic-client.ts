import type { BaseAnthropic } from "@anthropic-ai/sdk/client";
import type { APIError } from "@anthropic-ai/sdk/core/error";
import type { Account } from "./anthropic-account.ts";
import { createHttpFetch } from "./http/http-fetch.ts";

export interface Library {
  client: BaseAnthropic;
  APIError: typeof APIError;
}

/**
 * The provider's client library. Its parts instead of the whole, one `import` after the other: so bundlers drop the rest
 * of it, which makes it load three times as fast.
 */
export async function loadLibrary({ credential, baseURL }: Account): Promise<Library> {
  const { BaseAnthropic } = await import("@anthropic-ai/sdk/client");
  const { APIError } = await import("@anthropic-ai/sdk/core/error");

  const fetch = createHttpFetch();

  class Client extends BaseAnthropic {
    #first: Prepared | undefined;

    /** All requests of an account have the same address and headers, which the library works out for the first one. */
    override async buildRequest(options: RequestOptions, retry?: Retry): Promise<Prepared> {
      this.#first ??= await super.buildRequest({ ...options, body: "", fetchOptions: {} }, retry);
      const { req, url, timeout } = this.#first;
      const body = options.body as string;
      return { req: { ...req, ...options.fetchOptions, body }, url, timeout };
    }

    /** Without a limit of time: the caller's watchdog is the one that counts. */
    override fetchWithTimeout(url: string, init?: RequestInit): Promise<Response> {
      return fetch(url, init);
    }
  }

  const client = new Client({
    ...credential,
    baseURL,
    maxRetries: 0,
    fetch,
    // It would write raw text from the server to the terminal.
    logLevel: "off",
    // Spans are made from our events.
    openTelemetry: false,
  });
  return { client, APIError };
}

type Prepared = Awaited<ReturnType<BaseAnthropic["buildRequest"]>>;
type RequestOptions = Parameters<BaseAnthropic["buildRequest"]>[0];
type Retry = Parameters<BaseAnthropic["buildRequest"]>[1];

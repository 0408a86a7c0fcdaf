import { createHash } from "node:crypto";
import type { AssistantBlock, Usage } from "../../contract/message.ts";
import type { ModelRequest } from "../model.ts";
import { tokensOf } from "./paced-deltas.ts";

/** Tokens after the last cache breakpoint of a request: a few. */
const uncachedTokens = 4;

/** Digests of the parts of a request, in the order in which a provider caches them. */
export type RequestPrefix = readonly string[];

/**
 * Estimates plausible numbers for an answer without cost: the part shared with the agent's previous request is read
 * from the cache, the rest is written to it.
 */
export function estimateUsage(
  request: ModelRequest,
  reply: readonly AssistantBlock[],
  previous: RequestPrefix = [],
): { usage: Usage; prefix: RequestPrefix } {
  const parts = [JSON.stringify(request.tools), request.system, ...request.messages.map(plain)];
  const prefix = parts.map((part) => createHash("sha1").update(part).digest("base64"));
  const differing = prefix.findIndex((digest, index) => digest !== previous[index]);
  const shared = differing === -1 ? parts.length : differing;
  const fresh = sum(parts.slice(shared));
  const input = Math.min(fresh, uncachedTokens);
  return {
    usage: {
      input,
      output: Math.max(1, sum(reply.map(plain))),
      cacheRead: sum(parts.slice(0, shared)),
      cacheWrite: fresh - input,
    },
    prefix,
  };
}

function plain(part: unknown): string {
  return JSON.stringify(part);
}

function sum(parts: readonly string[]): number {
  return Math.ceil(parts.reduce((total, part) => total + tokensOf(part), 0));
}

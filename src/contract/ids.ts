import { randomBytes, randomUUID } from "node:crypto";

declare const brand: unique symbol;

/** Names one agent. New ids are `a` + 16 hex; any `[A-Za-z0-9_-]{1,64}` is accepted on reading. */
export type AgentId = string & { readonly [brand]: "AgentId" };

/** Names one session: the main agent and everything spawned below it share it. A UUID. */
export type SessionId = string & { readonly [brand]: "SessionId" };

export function newAgentId(): AgentId {
  return `a${randomBytes(8).toString("hex")}` as AgentId;
}

/** The id of a session's main agent. The name of the session's directory yields it, so no file is read. */
export function mainAgentId(sessionId: string): AgentId {
  return `a${sessionId.replaceAll("-", "").slice(0, 16)}` as AgentId;
}

export function newSessionId(): SessionId {
  return randomUUID() as SessionId;
}

/** An id from outside (a file name, a command line), or `undefined` when it cannot be one. */
export function parseAgentId(text: string): AgentId | undefined {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text) ? (text as AgentId) : undefined;
}

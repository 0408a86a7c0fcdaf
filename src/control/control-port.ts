import type { Manager } from "../manager.ts";

/** What the socket of a session gives access to: a manager, as seen from another process. */
export type ControlPort = Pick<
  Manager,
  | "sessionId"
  | "get"
  | "list"
  | "output"
  | "events"
  | "stop"
  | "kill"
  | "send"
  | "background"
  | "resume"
  | "inbox"
  | "noteRefusal"
>;

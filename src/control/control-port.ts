import type { Manager } from "../manager.ts";

/** The API behind the socket of a session: a manager, as seen from another process. */
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

import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/logger.ts";
import type { AuditLog } from "./audit.ts";
import type { Grants } from "./grants.ts";
import type { Covers } from "./reach.ts";
import type { Answered, InboxRequest } from "./request.ts";
import type { InboxCheck } from "./run-checks.ts";

/** The asker's part of a request; the inbox adds the rest. */
export interface AskInput extends Omit<
  InboxRequest,
  "id" | "sessionId" | "createdAt" | "deadline" | "onDeadline"
> {
  /** Milliseconds until `onDeadline` answers; `null`: never. Left out: the inbox's default. */
  readonly timeoutMs?: number | null;
  readonly onDeadline?: "deny" | "allow";
}

export type InboxEvent =
  | {
      readonly type: "asked";
      readonly request: InboxRequest;
      /** The same without its secrets, for readers that store it and do not decide by it. */
      readonly redacted: InboxRequest;
    }
  /** A settled request. `answered`: `null` when the asker went away. */
  | {
      readonly type: "settled";
      readonly request: InboxRequest;
      readonly answered: Answered | null;
    };

export interface InboxOptions {
  readonly sessionId: string;
  /** The directory of open requests. */
  readonly directory: string;
  readonly audit: AuditLog;
  readonly grants: Grants;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether answers can come without a subscriber: from another terminal, or a host that comes and goes. */
  readonly attended?: boolean;
  /** Checks that run in this order before any person is asked. */
  readonly checks?: readonly InboxCheck[];
  /** The timeout of askers that set none; left out: they wait without limit. */
  readonly timeoutMs?: number | null;
  /** The answer at a deadline, for askers that set none; left out: deny. */
  readonly onDeadline?: "deny" | "allow";
  readonly covers?: Covers;
  /** Redacts a request; left out: nothing is secret. */
  readonly redact?: (request: InboxRequest) => InboxRequest;
}

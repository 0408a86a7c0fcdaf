import type { ModelErrorCode } from "../model.ts";
import { ModelError } from "../model.ts";
import type { Fault } from "./scenario.ts";

/** How a scripted fault ends a request (`code`; none: otherwise than in an error), and how much still arrives. */
export const faults: Readonly<Record<Fault["kind"], FaultEffect>> = {
  "rate-limit": { code: "rate_limited", arriving: () => 0 },
  overload: { code: "overloaded", arriving: () => 0 },
  "server-error": { code: "server_error", arriving: () => 0 },
  "broken-stream": { code: "stream_broken", arriving: (pieces) => Math.ceil(pieces / 2) },
  stall: { code: undefined, arriving: () => 1 },
  "malformed-call": { code: undefined, arriving: (pieces) => pieces },
};

interface FaultEffect {
  code: ModelErrorCode | undefined;
  /** How many of so many pieces. */
  arriving(pieces: number): number;
}

/** The error that this fault ends in, if it does. `place`: where the script says so. */
export function faultError(fault: Fault, place: string): ModelError | undefined {
  const { code } = faults[fault.kind];
  if (code === undefined) return undefined;
  const message = `Rehearsed fault: ${fault.kind} (${place}).`;
  if (fault.retryAfter === undefined) return new ModelError(code, message);
  return new ModelError(code, message, { retryAfterMs: Math.round(fault.retryAfter * 1000) });
}

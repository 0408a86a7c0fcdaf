import type { ModelErrorCode } from "../model.ts";
import { ModelError } from "../model.ts";
import type { Fault } from "./scenario.ts";

/**
 * The effects of scripted faults: the error that ends the request (`code`, if it ends in one), and the part that still
 * arrives.
 */
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
  /** The number of pieces that arrive. */
  arriving(pieces: number): number;
}

/** The error of this fault, if it ends in one. `place`: the position in the script. */
export function faultError(fault: Fault, place: string): ModelError | undefined {
  const { code } = faults[fault.kind];
  if (code === undefined) return undefined;
  const message = `Rehearsed fault: ${fault.kind} (${place}).`;
  if (fault.retryAfter === undefined) return new ModelError(code, message);
  return new ModelError(code, message, { retryAfterMs: Math.round(fault.retryAfter * 1000) });
}

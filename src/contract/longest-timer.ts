import { RetinueError } from "./errors.ts";

/** The longest timer of Node, in milliseconds. A longer one fires at once. */
export const longestTimer: number = 2 ** 31 - 1;

/** Returns the value; throws for one that no timer takes. */
export function checkMilliseconds(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (value >= 0 && value <= longestTimer)) return value;
  const remedy = name === "timeout" ? " Leave it out to wait without one." : "";
  const message = `${name} must be a number of milliseconds from 0 to ${longestTimer}, not ${value}.${remedy}`;
  throw new RetinueError("invalid_request", message);
}

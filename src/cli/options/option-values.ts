import { InvalidArgumentError } from "commander";

/** Collects the values of an option that may be given more than once. */
export function append(text: string, before: string[]): string[] {
  return [...before, text];
}

export function positive(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a positive whole number.");
}

/** A number of seconds, at most what a timer can wait for. */
export function seconds(text: string): number {
  const number = positive(text);
  if (number <= 2_000_000) return number;
  throw new InvalidArgumentError("It must be at most 2000000.");
}

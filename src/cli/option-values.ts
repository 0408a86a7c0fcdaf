import { InvalidArgumentError } from "commander";

/** For options that may be given more than once. */
export function append(text: string, before: string[]): string[] {
  return [...before, text];
}

export function positive(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a positive whole number.");
}

/** At most what a timer can wait for. */
export function seconds(text: string): number {
  const number = positive(text);
  if (number <= 2_000_000) return number;
  throw new InvalidArgumentError("It must be at most 2000000.");
}

/** A time that may be none at all, or a part of a second. */
export function fractionalSeconds(text: string): number {
  const number = /^\d{1,7}(\.\d{1,3})?$/.test(text) ? Number(text) : Infinity;
  if (number <= 2_000_000) return number;
  throw new InvalidArgumentError("It must be a number from 0 to 2000000, such as 0.5.");
}

/** Tools in one word or several options, separated by commas or blanks. */
export function collect(text: string, before: string[]): string[] {
  return [...before, ...text.split(/[,\s]+(?![^(]*\))/).filter((tool) => tool !== "")];
}

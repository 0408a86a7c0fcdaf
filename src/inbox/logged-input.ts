import { z } from "zod";
import { once } from "../platform/once.ts";
import type { Redactor } from "../redact/redactor.ts";

/** An input in a log: unchanged, or, when it is very long, the beginning of its JSON. */
type LoggedInput = Record<string, unknown> | string;

export const loggedInputSchema: () => z.ZodType<LoggedInput> = once(() =>
  z.union([z.record(z.string(), z.unknown()), z.string()]),
);

const mostCharacters = 16_384;

/** The input for the log. Secrets are redacted before it is cut, so that no half of one is left. Never throws. */
export function loggedInput(
  input: Readonly<Record<string, unknown>>,
  { deep }: Pick<Redactor, "deep">,
): LoggedInput {
  try {
    const clean = deep(input);
    const text = JSON.stringify(clean);
    if (text.length <= mostCharacters) return clean;
    const left = text.length - mostCharacters;
    return `${text.slice(0, mostCharacters).toWellFormed()}… (${left} more characters)`;
  } catch {
    return "(nested too deep to be written down)";
  }
}

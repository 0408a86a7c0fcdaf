import type { z } from "zod";

/**
 * Error texts in our words instead of the library's: `schema.safeParse(value, { error: wording })`. A schema's own text
 * comes first; issues without a text here keep the library's.
 */
export const wording: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is missing";
      return `must be ${kinds[issue.expected] ?? `of type ${issue.expected}`}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return "must not be empty";
      return `must ${atLeast(issue.origin, issue.inclusive)} ${issue.minimum}${unit(issue.origin)}`;
    case "too_big":
      return `must ${atMost(issue.origin, issue.inclusive)} ${issue.maximum}${unit(issue.origin)}`;
    case "unrecognized_keys":
      return `has unknown fields: ${issue.keys.join(", ")}`;
    case "invalid_union": {
      const messages = issue.errors.flat().map(({ message }) => message);
      return messages.length === 0 ? undefined : [...new Set(messages)].join(", or ");
    }
    default:
      return undefined;
  }
};

/** Options for a schema that parses at most a few dozen values: compiling a parser would cost more than the checks. */
export const inOurWords = { error: wording, jitless: true } as const;

/** Lists each issue with its path; `whole` is the name for an issue without one. */
export function problemsIn({ issues }: z.ZodError, whole = ""): string {
  return issues
    .map(({ path, message }) => {
      const place = path.join(".") || whole;
      return place === "" ? message : `${place}: ${message}`;
    })
    .join("; ");
}

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  array: "a list",
  object: "a map of keys and values",
  record: "a map of keys and values",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

const units: Readonly<Record<string, string>> = {
  string: " characters",
  array: " items",
};

function unit(origin: string): string {
  return units[origin] ?? "";
}

function atLeast(origin: string, inclusive: boolean | undefined): string {
  if (origin in units) return "have at least";
  return inclusive === false ? "be more than" : "be at least";
}

function atMost(origin: string, inclusive: boolean | undefined): string {
  if (origin in units) return "have at most";
  return inclusive === false ? "be less than" : "be at most";
}

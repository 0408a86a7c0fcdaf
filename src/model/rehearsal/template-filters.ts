import { findPattern, patternProblem } from "./pattern.ts";
import type { Filter } from "./template-syntax.ts";

/** The value of a template. A list is lines; inside a text it is joined again. */
export type Value = string | number | string[];

/** A missing value, and the reason. Filters pass it on; only `default` replaces it. */
export class Missing {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

export function applyFilter({ name, argument }: Filter, value: Value | Missing): Value | Missing {
  const filter = filters.get(name);
  if (filter === undefined) return new Missing(`unknown filter "${name}"`);
  if (name === "default") return value instanceof Missing ? valueOf(argument) : value;
  return value instanceof Missing ? value : filter.apply(value, argument);
}

/** The problem of a filter as written, or undefined. */
export function filterProblem({ name, argument }: Filter): string | undefined {
  const filter = filters.get(name);
  if (filter === undefined) {
    return `unknown filter "${name}"; there are ${[...filters.keys()].join(", ")}`;
  }
  return filter.problem(argument);
}

export function textOfValue(value: Value): string {
  return Array.isArray(value) ? value.join("\n") : String(value);
}

type FilterArgument = Filter["argument"];

interface FilterRule {
  problem(argument: FilterArgument): string | undefined;
  apply(value: Value, argument: FilterArgument): Value | Missing;
}

const filters: ReadonlyMap<string, FilterRule> = new Map(
  Object.entries<FilterRule>({
    trim: { problem: noArgument, apply: (value) => textOfValue(value).trim() },
    lines: { problem: noArgument, apply: linesOf },
    line: {
      problem: (argument) =>
        numberOf(argument) === 0 || numberOf(argument) === undefined
          ? "line needs a number from 1 on, or from -1 on to count from the end"
          : undefined,
      apply(value, argument) {
        const lines = linesOf(value);
        const position = numberOf(argument) ?? 1;
        const line = lines.at(position > 0 ? position - 1 : position);
        return line ?? new Missing(`there is no line ${position}, only ${lines.length}`);
      },
    },
    first: {
      problem: (argument) =>
        (numberOf(argument) ?? -1) < 0 ? "first needs the number of lines to keep" : undefined,
      apply: (value, argument) => linesOf(value).slice(0, numberOf(argument)),
    },
    count: { problem: noArgument, apply: (value) => linesOf(value).length },
    match: {
      problem(argument) {
        const pattern = regexOf(argument);
        return pattern === undefined ? "match needs a regex: match /…/" : patternProblem(pattern);
      },
      apply(value, argument) {
        const pattern = regexOf(argument) ?? "";
        const groups = findPattern(pattern, textOfValue(value));
        return groups?.[1] ?? groups?.[0] ?? new Missing(`nothing matches ${pattern}`);
      },
    },
    number: {
      problem: noArgument,
      apply(value) {
        const text = textOfValue(value).trim();
        const number = text === "" ? Number.NaN : Number(text);
        return Number.isFinite(number) ? number : new Missing(`"${text}" is not a number`);
      },
    },
    json: { problem: noArgument, apply: (value) => JSON.stringify(value) },
    default: {
      problem: (argument) =>
        argument === undefined || argument.kind === "regex"
          ? 'default needs a text or a number: default "none"'
          : undefined,
      apply: (value) => value,
    },
  }),
);

function noArgument(argument: FilterArgument): string | undefined {
  return argument === undefined ? undefined : "this filter takes no argument";
}

function linesOf(value: Value): string[] {
  if (Array.isArray(value)) return value;
  const text = String(value).replace(/\r?\n$/, "");
  return text === "" ? [] : text.split(/\r?\n/);
}

function numberOf(argument: FilterArgument): number | undefined {
  return argument?.kind === "number" ? argument.number : undefined;
}

function regexOf(argument: FilterArgument): string | undefined {
  if (argument?.kind === "regex") return argument.pattern;
  return argument?.kind === "text" && argument.text !== "" ? `/${argument.text}/` : undefined;
}

function valueOf(argument: FilterArgument): Value {
  if (argument?.kind === "number") return argument.number;
  return argument?.kind === "text" ? argument.text : "";
}

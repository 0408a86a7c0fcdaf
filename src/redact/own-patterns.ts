import { regexProblem } from "./regex-problem.ts";

/** A user's own secret to redact: an expression between slashes, or a literal text. */
export type OwnSecret =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "expression"; readonly source: string; readonly flags: string };

/** Parses `/regex/flags` or a text. */
export function parseOwnSecret(given: string): OwnSecret {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(given) ?? [];
  if (source === undefined || flags === undefined) return { kind: "text", text: given };
  return { kind: "expression", source, flags };
}

/** The problem of a regular expression (bare, or between slashes), with the remedy; or undefined. */
export function ownPatternProblem(given: string): string | undefined {
  const { source, flags } = expressionParts(given);
  if (!/^[imsu]*$/.test(flags)) return `"${flags}" are not flags of a pattern (use i, m, s or u)`;
  try {
    const expression = new RegExp(source, flags);
    if (expression.test(""))
      return "the pattern matches an empty text; describe what a secret contains";
  } catch (error) {
    return `${String(error)}; put a backslash before a character that is meant literally`;
  }
  return regexProblem(source);
}

/** Compiles a pattern that has no problem. */
export function ownExpression(given: string): RegExp {
  const { source, flags } = expressionParts(given);
  return new RegExp(source, `g${flags}`);
}

function expressionParts(given: string): { source: string; flags: string } {
  const own = parseOwnSecret(given);
  return own.kind === "expression" ? own : { source: given, flags: "" };
}

const pieceLength = 512;

/**
 * Replaces the matches of a user's expression. It runs on one line at a time, and on pieces of long lines, so that even
 * an expression that backtracks too much ends.
 */
export function replaceOwn(text: string, expression: RegExp, replacement: string): string {
  const replace = (piece: string): string => piece.replace(expression, () => replacement);
  if (text.length <= pieceLength && !text.includes("\n")) return replace(text);
  return text.replace(/[^\n]{1,512}/g, replace);
}

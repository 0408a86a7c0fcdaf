import { regexProblem } from "./regex-problem.ts";

/** What somebody wants redacted besides what is known: an expression between slashes, or a text as it stands. */
export type OwnSecret =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "expression"; readonly source: string; readonly flags: string };

/** `/regex/flags` or a text. */
export function parseOwnSecret(given: string): OwnSecret {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(given) ?? [];
  if (source === undefined || flags === undefined) return { kind: "text", text: given };
  return { kind: "expression", source, flags };
}

/** What is wrong with a regular expression (bare, or between slashes), with what to do about it; or undefined. */
export function ownPatternProblem(given: string): string | undefined {
  const { source, flags } = expressionParts(given);
  if (!/^[imsu]*$/.test(flags)) return `"${flags}" are not flags of a pattern (i, m, s, u are)`;
  try {
    const expression = new RegExp(source, flags);
    if (expression.test("")) return "the pattern fits an empty text; make it say what a secret has";
  } catch (error) {
    return `${String(error)}; put a backslash before a character that means itself`;
  }
  return regexProblem(source);
}

/** A pattern that has no problem, ready to be searched for. */
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
 * Replaces what an expression of somebody's finds. It sees one line at a time, of long ones a piece, so that even one that
 * backtracks more than it should has an end.
 */
export function replaceOwn(text: string, expression: RegExp, replacement: string): string {
  const replace = (piece: string): string => piece.replace(expression, () => replacement);
  if (text.length <= pieceLength && !text.includes("\n")) return replace(text);
  return text.replace(/[^\n]{1,512}/g, replace);
}

import { matchesTokens } from "../../rules/glob-match.ts";

/** Whether a segment of a pattern has a `*` or `?` that is not behind a backslash. */
export function hasGlob(segment: string): boolean {
  return tokensOf(segment).some(isSpecial);
}

/** The text of a pattern, as bash passes it on where it finds no file. */
export function globLiteral(pattern: string): string {
  return pattern.replaceAll(/\\(.)/gs, "$1");
}

/**
 * Whether a pattern may find a file of this name. Hidden ones only by a dot. In some locales `?` is a byte, so that in names
 * which are not ASCII it counts as any text.
 */
export function matchesName(segment: string, name: string): boolean {
  const tokens = tokensOf(segment);
  if (name.startsWith(".") && tokens[0]?.at(-1) !== ".") return false;
  const isAscii = /^[\0-\x7F]*$/.test(name);
  const wanted = isAscii ? tokens : tokens.map((token) => (isSpecial(token) ? "*" : token));
  return matchesTokens(wanted, name);
}

/** The characters of a pattern, each with the backslash before it. */
function tokensOf(segment: string): string[] {
  return segment.match(/\\.|./gs) ?? [];
}

function isSpecial(token: string): boolean {
  return token === "*" || token === "?";
}

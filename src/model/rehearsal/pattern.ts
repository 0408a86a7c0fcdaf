/**
 * Patterns in scenarios: `/regex/flags`, or any other text, which is matched literally. They run on the output of tools
 * and people: only the first 100,000 characters are tested. That does not protect against an expression that backtracks
 * without end; the author of a scenario is trusted.
 */
const testedCharacters = 100_000;
const usefulFlags = /^[imsuv]*$/;

/** The match and its groups, like the result of `RegExp.exec`. A group that took no part is undefined. */
export type Groups = readonly (string | undefined)[];

export function findPattern(pattern: string, text: string): Groups | undefined {
  const tested = text.slice(0, testedCharacters);
  const expression = expressionOf(pattern);
  if (expression === undefined) return tested.includes(pattern) ? [pattern] : undefined;
  return expression.exec(tested) ?? undefined;
}

/** The problem of a pattern and what to write instead, or undefined. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === "") return "an empty pattern matches everything: leave it out";
  const parts = partsOf(pattern);
  if (parts === undefined) return undefined;
  if (!usefulFlags.test(parts.flags)) {
    const literal = `/${pattern.replaceAll("/", String.raw`\/`)}/`;
    return `"${parts.flags}" are not regex flags (use i, m, s, u or v); for the text ${pattern} itself write ${literal}`;
  }
  try {
    expressionOf(pattern);
    return undefined;
  } catch (error) {
    return `${String(error)}; put a backslash before a character that is meant literally`;
  }
}

/** The number of groups of a valid pattern. */
export function groupCount(pattern: string): number {
  const parts = partsOf(pattern);
  if (parts === undefined) return 0;
  return (new RegExp(`${parts.source}|`, parts.flags).exec("")?.length ?? 1) - 1;
}

function expressionOf(pattern: string): RegExp | undefined {
  const parts = partsOf(pattern);
  return parts && new RegExp(parts.source, parts.flags);
}

function partsOf(pattern: string): { source: string; flags: string } | undefined {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(pattern) ?? [];
  return source === undefined || flags === undefined ? undefined : { source, flags };
}

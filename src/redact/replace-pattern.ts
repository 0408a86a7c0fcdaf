import type { SecretPattern } from "./secret-patterns.ts";

/** The prefix of every replacement. */
export const redactionMark = "[redacted:";

/** The replacement for a secret. */
export function shown(name: string): string {
  return `${redactionMark}${name}]`;
}

export function replaceEach(given: string, patterns: readonly SecretPattern[]): string {
  let text = given;
  for (const pattern of patterns) {
    if (pattern.markers.some((marker) => text.includes(marker)))
      text = replacePattern(text, pattern);
  }
  return text;
}

function replacePattern(text: string, { name, find, accepts }: SecretPattern): string {
  return text.replace(find, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1);
    const before = typeof groups === "object" ? ((groups as { before?: string }).before ?? "") : "";
    const secret = match.slice(before.length);
    return accepts !== undefined && !accepts(secret) ? match : before + shown(name);
  });
}

/** `*` is any text, everything else literal. */
export function globMatches(pattern: string, text: string): boolean {
  return matchesLiterals(pattern.split(/\*+/), text, false);
}

/**
 * Whether these texts follow each other with anything between them, from the beginning to the end; with `endsAtWord`, to the
 * end or a blank. Each gap is as small as it can be, so nothing is tried twice.
 */
export function matchesLiterals(
  literals: readonly string[],
  text: string,
  endsAtWord: boolean,
): boolean {
  const [first = "", ...others] = literals;
  const last = others.pop();
  if (!text.startsWith(first)) return false;
  let at = first.length;
  if (last === undefined) return endsThere(text, at, endsAtWord);
  for (const literal of others) {
    const found = text.indexOf(literal, at);
    if (found === -1) return false;
    at = found + literal.length;
  }
  if (!endsAtWord) return text.length - last.length >= at && text.endsWith(last);
  for (let found = text.indexOf(last, at); found !== -1; found = text.indexOf(last, found + 1)) {
    if (endsThere(text, found + last.length, true)) return true;
  }
  return false;
}

function endsThere(text: string, at: number, atWord: boolean): boolean {
  return at === text.length || (atWord && text[at] === " ");
}

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

/**
 * Whether the tokens of a pattern match a text: `*` is any text, `?` one character, and every other token its last
 * character. Goes back to the last star at most: a stranger's pattern must not take long.
 */
export function matchesTokens(tokens: readonly string[], text: string): boolean {
  let [at, of] = [0, 0];
  let [star, resume] = [-1, 0];
  while (at < text.length) {
    const token = tokens[of];
    if (token === "*") {
      star = of;
      resume = at;
      of += 1;
    } else if (token === "?" || token?.at(-1) === text[at]) {
      at += 1;
      of += 1;
    } else if (star >= 0) {
      resume += 1;
      at = resume;
      of = star + 1;
    } else return false;
  }
  return tokens.slice(of).every((token) => token === "*");
}

/** Whether a value in the place of a secret is one, rather than code, a placeholder or a word. */
export function isRandom(whole: string): boolean {
  // Enough to decide, and short, because it is read more than once.
  const value = whole.slice(0, 256);
  if (!isValue(value) || /[(){}]|=>|:\/\//.test(value)) return false;
  if (/^(?:\.{0,2}|~)\//.test(value) && !hasRandomSegment(value)) return false;
  if (!/[A-Za-z]/.test(value)) return false;
  const isMixed = /\d|[!@#%^*+~?]/.test(value) || /[a-z].*[A-Z].*[a-z]+[A-Z][A-Z]/.test(value);
  return isMixed
    ? bitsPerCharacter(value) >= 2.3
    : value.length >= 24 && bitsPerCharacter(value) >= 4;
}

/** Whether one of `name=value; name=value` has a secret value. */
export function hasRandomPair(pairs: string): boolean {
  return pairs.split(";").some((pair) => {
    const value = pair.slice(pair.indexOf("=") + 1);
    return pair.includes("=") && value.length >= 8 && isRandom(value);
  });
}

/** Whether a value is real: not a variable, not a placeholder, not redacted already. */
export function isValue(value: string): boolean {
  return !/^(?:[$%{[<*]|x{4}|\.{3}|your[-_ ]|change[-_]?me|placeholder|null$|undefined$)/i.test(
    value,
  );
}

/** Whether a path has a random segment. Directories have names; keys with slashes do not. */
export function hasRandomSegment(path: string): boolean {
  return path
    .split("/")
    .some(
      (part) => part.length >= 20 && /\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part),
    );
}

/** The Shannon entropy of the characters. */
export function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/**
 * Escapes the given tags in a text that a block of a prompt quotes. The text can then neither end the block nor pretend
 * to be another one. Other markup stays as it is.
 */
export function escapeTags(text: string, tags: readonly string[]): string {
  return text.replaceAll(new RegExp(`<(?=[\\s/]*(?:${tags.join("|")})\\b)`, "gi"), "&lt;");
}

/**
 * Escapes a name that comes with a repository (of a file, a branch, an agent) for a line of a prompt. All tags are
 * escaped, and all characters that break the line, reorder the text or are invisible.
 */
export function escapeName(name: string): string {
  return name.replaceAll(/[<\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, escaped);
}

function escaped(character: string): string {
  if (character === "<") return "&lt;";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

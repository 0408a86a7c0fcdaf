/**
 * Text that a block of a prompt quotes, with the given tags spelled as text: it cannot end the block or pretend to be
 * another one. Other markup stays as it is.
 */
export function escapeTags(text: string, tags: readonly string[]): string {
  return text.replaceAll(new RegExp(`<(?=[\\s/]*(?:${tags.join("|")})\\b)`, "gi"), "&lt;");
}

/**
 * A name that comes with a repository (of a file, a branch, an agent) for a line of a prompt: no tag at all, and what would
 * start a new line, reorder the text or not be seen is spelled as an escape.
 */
export function escapeName(name: string): string {
  return name.replaceAll(/[<\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, escaped);
}

function escaped(character: string): string {
  if (character === "<") return "&lt;";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

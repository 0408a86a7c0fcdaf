/** A part of a command in a sentence: at most 80 characters, in quotes that it does not hold itself. */
export function shownPart(part: string): string {
  const line = part.replaceAll(/\s*\n\s*/g, " ");
  const text = line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line;
  return text.includes("'") ? `\`${text}\`` : `'${text}'`;
}

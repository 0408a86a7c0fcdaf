/**
 * Splits a list of tools as people write it: at commas outside parentheses; a text without such a comma splits at
 * blanks.
 */
export function splitTools(tools: string | readonly string[]): string[] {
  if (typeof tools !== "string")
    return tools.flatMap((entry) => splitOutside(entry, (character) => character === ","));
  const parts = splitOutside(tools, (character) => character === ",");
  return parts.length > 1 || tools.includes(",")
    ? parts
    : splitOutside(tools, (character) => /\s/.test(character));
}

/** Splits a text in one pass: it is a stranger's and may be long. */
function splitOutside(text: string, separates: (character: string) => boolean): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "(") depth += 1;
    else if (character === ")") depth = Math.max(0, depth - 1);
    if (at < text.length && (depth > 0 || !separates(character))) continue;
    parts.push(text.slice(start, at).trim());
    start = at + 1;
  }
  return parts.filter((part) => part !== "");
}

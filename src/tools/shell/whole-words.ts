/** Drops the partial word at a cut: half a secret could not be recognised as one. */
export function wholeWords(text: string, cut: "start" | "end"): string {
  const piece = cut === "start" ? /^\S*/.exec(text) : /\S*$/.exec(text.slice(-longestCutWord - 1));
  const length = piece?.[0].length ?? 0;
  if (length > longestCutWord) return text;
  return cut === "start" ? text.slice(length) : text.slice(0, text.length - length);
}

const longestCutWord = 500;

import { replaceEach } from "./replace-pattern.ts";
import { shapedPatterns, shapeMarker } from "./secret-patterns.ts";

/**
 * Replaces secrets with a known shape. None of them contains a blank, so only the words around a marker are checked: a
 * few in ordinary text. If there are many, checking the whole text is cheaper.
 */
export function replaceShapes(text: string): string {
  const words = wordsWithMarker(text);
  if (words === undefined) return replaceEach(text, shapedPatterns);
  let result = "";
  let done = 0;
  for (const { from, to } of words) {
    const word = text.slice(from, to);
    const replaced = anyPrefix.test(word) ? replaceEach(word, shapedPatterns) : word;
    if (replaced === word) continue;
    result += text.slice(done, from) + replaced;
    done = to;
  }
  return done === 0 ? text : result + text.slice(done);
}

const mostWords = 64;
const longestWord = 4096;
const anyPrefix = new RegExp(
  [...new Set(shapedPatterns.flatMap(({ markers }) => markers))]
    .map((marker) => RegExp.escape(marker))
    .join("|"),
);

function wordsWithMarker(text: string): { from: number; to: number }[] | undefined {
  const words: { from: number; to: number }[] = [];
  shapeMarker.lastIndex = 0;
  for (
    let end = 0, match = shapeMarker.exec(text);
    match !== null;
    match = shapeMarker.exec(text)
  ) {
    let from = match.index;
    while (from > end && !isBlank(text.charCodeAt(from - 1))) from -= 1;
    end = shapeMarker.lastIndex;
    while (end < text.length && !isBlank(text.charCodeAt(end))) end += 1;
    words.push({ from, to: end });
    if (words.length > mostWords || end - from > longestWord) return undefined;
    shapeMarker.lastIndex = end;
  }
  return words;
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

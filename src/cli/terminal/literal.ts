import { plain, plainLine } from "./sanitize.ts";

/**
 * Text that a person is asked to approve, harmless and complete: characters that a terminal would act on, reorder or
 * hide become escapes, because the approved text must be the one that runs.
 */
export function literal(text: string): string {
  return plain(text.toWellFormed().replace(unseen, escaped));
}

/** The same in one line of any length. */
export function literalWhole(text: string): string {
  return literal(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** The first 300 characters of that. */
export function literalLine(text: string): string {
  return plainLine(literalWhole(text.slice(0, 2400)));
}

/** Controls but tab and newline, invisible and formatting characters, blanks that are no blank, piles of accents. */
const unseen =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u2800]|\p{Default_Ignorable_Code_Point}|\p{Cf}|(?! )\p{Zs}|\p{M}{3,}/gu;

function escaped(text: string): string {
  return Array.from(text)
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      if (character === "\r") return "\\r";
      if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
      return `\\u{${code.toString(16)}}`;
    })
    .join("");
}

import { alphanumeric } from "./alphabets.ts";
import type { RandomText } from "./secret-patterns.ts";

/** Random text, reproducible by its seed. */
export function randomText(seed: number): RandomText {
  let state = seed + 1;
  return (length, alphabet = alphanumeric) =>
    Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return alphabet.charAt((state >>> 8) % alphabet.length);
    }).join("");
}

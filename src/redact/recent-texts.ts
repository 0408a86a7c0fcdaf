/**
 * Short texts that were met lately. Each has one place, where it takes the place of another: so nothing is kept for long, and
 * nothing but this one table is ever made. A text that was lost is only met again as a new one.
 */
export class RecentTexts {
  readonly #texts: string[] = Array.from({ length: places }, () => "");

  has(text: string): boolean {
    return this.#texts[placeOf(text)] === text;
  }

  add(text: string): void {
    this.#texts[placeOf(text)] = text;
  }
}

/** A power of two: what a few agents at a time say again and again. */
const places = 256;

/** Ids differ anywhere, paths and names mostly near their ends. */
function placeOf(text: string): number {
  let mixed = text.length;
  const from = Math.max(0, text.length - 8);
  for (let at = from; at < text.length; at += 1) mixed = Math.imul(mixed, 31) + text.charCodeAt(at);
  mixed = Math.imul(mixed, 31) + text.charCodeAt(from >> 1);
  return (mixed ^ (mixed >>> 8)) & (places - 1);
}

import { displayWidth, fit, wrap as wrapAnywhere } from "../terminal/width.ts";

/** A label at the left edge, and the harmless texts beside it. */
export type Labelled = readonly [label: string, texts: readonly string[]];

const labelWidth = 12;
const mostLines = 4;

/** Each text in at most four lines of at most `width` columns; a label without texts is left out. */
export function labelledLines(rows: readonly Labelled[], width: number): string[] {
  return rows.flatMap(([name, texts]) =>
    texts
      .flatMap((text) => wrap(text, width - labelWidth - 2))
      .map((text, index) => `${(index === 0 ? name : "").padEnd(labelWidth)}  ${text}`),
  );
}

/** Wraps at blanks, into a few lines; the rest is cut. */
function wrap(text: string, width: number): string[] {
  const wrapped: string[] = [];
  let rest = text;
  while (displayWidth(rest) > width && wrapped.length < mostLines - 1) {
    const [head = ""] = wrapAnywhere(rest, width);
    const blank = rest.lastIndexOf(" ", head.length);
    const at = blank <= 0 ? head.length : blank;
    wrapped.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...wrapped, fit(rest, width)];
}

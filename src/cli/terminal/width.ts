/**
 * The number of columns that a text takes in a terminal. Expects text that went through `plain`, on one line. Where
 * terminals disagree (old ones draw a joined emoji as its parts) the common modern answer is given.
 */
export function displayWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

/** The text itself if it is at most `width` columns wide, otherwise its beginning and `…`. Never wider than asked. */
export function fit(text: string, width: number): string {
  if (width <= 0) return "";
  if (narrow.test(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
  let used = 0;
  let cut = 0;
  for (const { segment, index } of graphemesOf(text)) {
    used += graphemeWidth(segment);
    if (used > width) return `${text.slice(0, cut)}…`;
    if (used < width) cut = index + segment.length;
  }
  return text;
}

/** `fit`, then filled with blanks to exactly `width` columns. */
export function fill(text: string, width: number, align: "left" | "right" = "left"): string {
  const fitted = fit(text, width);
  const blanks = " ".repeat(Math.max(0, width - displayWidth(fitted)));
  return align === "left" ? fitted + blanks : blanks + fitted;
}

/** The text in pieces of at most `width` columns, broken anywhere; a character wider than that becomes `…`. */
export function wrap(text: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const { segment } of graphemesOf(text)) {
    const wide = graphemeWidth(segment);
    if (used + wide > width && piece !== "") {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += wide > width ? "…" : segment;
    used += Math.min(wide, width);
  }
  return [...pieces, piece];
}

/** One line of cells side by side, never wider than `width`, whatever they asked for. */
export function compose(cells: readonly Cell[], width: number): MeasuredLine {
  let text = "";
  let used = 0;
  let gap = 0;
  for (const cell of cells) {
    const room = width - used - gap;
    if (room <= 0) break;
    const wanted = cell.width ?? displayWidth(cell.text);
    if (wanted === 0) continue;
    const filled = fill(cell.text, Math.min(wanted, room), cell.align);
    text += " ".repeat(gap) + (cell.paint?.(filled) ?? filled);
    used += gap + displayWidth(filled);
    gap = cell.gap ?? 2;
  }
  return { text, width: used };
}

export interface Cell {
  text: string;
  /** Columns to fill; left out: as wide as the text. */
  width?: number;
  align?: "left" | "right";
  paint?: (text: string) => string;
  /** Blanks after the cell, unless it is the last one; two if left out. */
  gap?: number;
}

export interface MeasuredLine {
  /** Text with colours. */
  text: string;
  /** Width in columns. */
  width: number;
}

/** One column per character and nothing that joins: spares the segmenter for ASCII and for what the views draw. */
const narrow =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u2010-\u2027\u2500-\u25fc\u2713\u2717\u273b\u23f1]*$/;
let segmenter: Intl.Segmenter | undefined;
/** Splits text into graphemes. The segmenter is made on first use, because that takes longer than most commands. */
function graphemesOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

const emoji = /\p{Emoji_Presentation}|\ufe0f/u;
/** Marks above and below, joiners, and the vowels and finals that a Hangul syllable swallows. */
const zeroWidth = /(?!\u00ad)[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]/u;
const eastAsianWide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && narrow.test(grapheme)) return 1;
  if (emoji.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (zeroWidth.test(character)) continue;
    width += eastAsianWide.test(character) ? 2 : 1;
  }
  return width;
}

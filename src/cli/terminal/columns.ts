import { displayWidth, fill, fit } from "./width.ts";

/** A plain table, as wide as the terminal on stdout allows. */
export function table(rows: readonly (readonly string[])[]): string {
  return `${columns(rows, process.stdout.columns).join("\n")}\n`;
}

/**
 * Rows of a plain table, each column as wide as its widest cell, but at most a third of the width; the last one takes what
 * is left. A terminal that does not know its width says 0.
 */
export function columns(
  rows: readonly (readonly string[])[],
  terminal: number | undefined,
): string[] {
  const width = terminal === 0 ? undefined : terminal;
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.min(
      Math.max(...rows.map((row) => displayWidth(row[column] ?? ""))),
      width === undefined || column === count - 1 ? Infinity : Math.floor(width / 3),
    ),
  );
  return rows.map((row) => {
    const line = row
      .map((text, column) => fill(fit(text, widths[column] ?? 0), widths[column] ?? 0))
      .join("  ")
      .trimEnd();
    return width === undefined ? line : fit(line, width);
  });
}

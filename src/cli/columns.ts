import { displayWidth, fill, fit } from "./width.ts";

/** Rows of a plain table, each column as wide as its widest cell; the last one takes what the width leaves. */
export function columns(rows: readonly (readonly string[])[], width: number | undefined): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column] ?? ""))),
  );
  return rows.map((row) => {
    const line = row
      .map((text, column) => fill(text, widths[column] ?? 0))
      .join("  ")
      .trimEnd();
    return width === undefined ? line : fit(line, width);
  });
}

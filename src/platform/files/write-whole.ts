import { writeSync } from "node:fs";

/** Writes all of it, at a position or (`null`) at the end of a file opened for appending. Returns its length in bytes. */
export function writeWhole(
  file: number,
  data: string | Uint8Array,
  position: number | null,
): number {
  const size = typeof data === "string" ? Buffer.byteLength(data) : data.length;
  let written =
    typeof data === "string"
      ? writeSync(file, data, position)
      : writeSync(file, data, 0, size, position);
  // A full disk or a signal may cut a write short; then the rest goes as bytes.
  while (written < size) {
    const at = position === null ? null : position + written;
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    written += writeSync(file, bytes, written, size - written, at);
  }
  return size;
}

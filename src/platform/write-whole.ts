import { writeSync } from "node:fs";

/** Writes all of a text, at a position or (`null`) at the end of a file opened for appending. Returns its length in bytes. */
export function writeWhole(file: number, text: string, position: number | null): number {
  const size = Buffer.byteLength(text);
  let written = writeSync(file, text, position);
  // A full disk or a signal may cut a write short; then the rest goes as bytes.
  while (written < size) {
    const at = position === null ? null : position + written;
    written += writeSync(file, Buffer.from(text), written, size - written, at);
  }
  return size;
}

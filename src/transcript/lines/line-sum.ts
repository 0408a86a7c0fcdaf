import { crc32 } from "node:zlib";

/**
 * Each line that we write ends in `"retinueSum":"<n>/<of> <crc32>"}`: it is the n-th of the lines that were appended
 * together, and the sum is of all its bytes before the sum. So a reader can tell a line that is as it was written from
 * one that a crash or a disk has changed, and an append that arrived whole from one that did not.
 */
export interface Seal {
  n: number;
  of: number;
  holds: boolean;
}

const name = '"retinueSum":"';
const nameBytes = Buffer.from(name);
/** Eight digits, a quote and a brace. */
const tail = 10;

/** Lines of JSON objects, without their ends, as the text of one append. */
export function sealLines(lines: readonly string[]): string {
  let text = "";
  for (const [index, line] of lines.entries()) {
    const body = line.slice(0, -1);
    const seal = `${body === "{" ? "" : ","}${name}${index + 1}/${lines.length} `;
    const sum = crc32(seal, crc32(body));
    text += `${body}${seal}${sum.toString(16).padStart(8, "0")}"}\n`;
  }
  return text;
}

/** Reads the seal of the line between two offsets into `seal`. False: it has none, so another program wrote it. */
export function readSeal(bytes: Buffer, start: number, end: number, seal: Seal): boolean {
  let at = end - tail - 1;
  if (at < start + nameBytes.length || bytes[end - 1] !== 0x7d || bytes[end - 2] !== 0x22)
    return false;
  if (bytes[at] !== 0x20) return false;
  const afterOf = at;
  while (isDigit(bytes[at - 1])) at -= 1;
  const of = numberAt(bytes, at, afterOf);
  if (bytes[at - 1] !== 0x2f) return false;
  const afterN = (at -= 1);
  while (isDigit(bytes[at - 1])) at -= 1;
  const n = numberAt(bytes, at, afterN);
  const nameAt = at - nameBytes.length;
  if (nameAt <= start || nameBytes.compare(bytes, nameAt, at) !== 0) return false;
  seal.n = n;
  seal.of = of;
  seal.holds = n >= 1 && n <= of && sumHolds(bytes, start, end);
  return true;
}

/** Whether the line that starts here matches the sum at its end. */
export function sumHolds(bytes: Buffer, start: number, end: number): boolean {
  const sum = hexAt(bytes, end - tail);
  return sum === crc32(bytes.subarray(start, end - tail));
}

/** The hexadecimal number at an offset; NaN for other characters. */
function hexAt(bytes: Buffer, at: number): number {
  let value = 0;
  for (let place = at; place < at + 8; place += 1) {
    const code = bytes[place] ?? 0;
    if (isDigit(code)) value = value * 16 + code - 0x30;
    else if (code >= 0x61 && code <= 0x66) value = value * 16 + code - 0x57;
    else return Number.NaN;
  }
  return value;
}

function numberAt(bytes: Buffer, start: number, end: number): number {
  if (start === end) return Number.NaN;
  let value = 0;
  for (let place = start; place < end; place += 1) value = value * 10 + (bytes[place] ?? 0) - 0x30;
  return value;
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 0x30 && code <= 0x39;
}

import { crc32 } from "node:zlib";

/** What one write left in a file: bytes from a place on, or (`at: null`) all that the file holds. */
export interface JournalRecord {
  /** Relative to the directory that the journal is about. */
  file: string;
  at: number | null;
  bytes: Uint8Array;
}

/** All that a file holds which was removed: nothing. None that is there is ever made empty. */
export const removed: Uint8Array = new Uint8Array();

/** A line of JSON that says where the bytes belong and what their sum is, then the bytes. */
export function encodeRecord({ file, at, bytes }: JournalRecord): Buffer {
  const head = JSON.stringify({ file, at, size: bytes.length, crc: sumOf(file, at, bytes) });
  const record = Buffer.allocUnsafe(Buffer.byteLength(head) + bytes.length + 2);
  const start = record.write(`${head}\n`);
  record.set(bytes, start);
  record[record.length - 1] = 0x0a;
  return record;
}

/** The records up to the first that did not arrive whole. */
export function* decodeRecords(journal: Buffer): Generator<JournalRecord> {
  for (let start = 0; start < journal.length;) {
    const headEnd = journal.indexOf(0x0a, start);
    if (headEnd === -1) return;
    const head = headOf(journal.toString("utf8", start, headEnd));
    if (head === undefined) return;
    const { file, at, size, crc } = head;
    const bytes = journal.subarray(headEnd + 1, headEnd + 1 + size);
    if (bytes.length < size || crc !== sumOf(file, at, bytes)) return;
    yield { file, at, bytes };
    start = headEnd + 1 + size + 1;
  }
}

interface Head {
  file: string;
  at: number | null;
  size: number;
  crc: number;
}

function headOf(text: string): Head | undefined {
  try {
    const { file, at, size, crc } = JSON.parse(text) as Partial<Head>;
    const fits = typeof file === "string" && isPlace(size) && (at === null || isPlace(at));
    return fits && typeof crc === "number" ? { file, at, size, crc } : undefined;
  } catch {
    return undefined;
  }
}

function isPlace(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function sumOf(file: string, at: number | null, bytes: Uint8Array): number {
  return crc32(bytes, crc32(`${at} ${file}`));
}

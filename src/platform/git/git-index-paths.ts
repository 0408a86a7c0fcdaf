import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { indexEntries, indexExtensions, insist, type IndexEntry } from "./git-index-entries.ts";

const hashSizes = { sha1: 20, sha256: 32 };
export type ObjectFormat = keyof typeof hashSizes;

/** Version 4 shares the beginnings of names, so a small file can hold very many bytes of them. */
const largestNames = 32 * 1024 * 1024;

/** The paths in an index (see gitformat-index). Throws at anything that is not exactly as described there. */
export function pathsInIndex(bytes: Buffer, format: ObjectFormat): string[] {
  const end = bytes.length - hashSizes[format];
  insist(end >= 12);
  const checksum = bytes.subarray(end);
  const isUnsigned = checksum.every((byte) => byte === 0);
  const body = bytes.subarray(0, end);
  insist(isUnsigned || createHash(format).update(body).digest().equals(checksum));

  const paths = new Set<string>();
  const starts: number[] = [];
  let total = 0;
  const entries = indexEntries(body, hashSizes[format]);
  let next = entries.next();
  for (; next.done !== true; next = entries.next()) {
    const entry = next.value;
    total += entry.name.length;
    insist(isPlain(entry) && total <= largestNames);
    starts.push(entry.at);
    paths.add(pathOf(entry.name));
  }
  const entriesEnd = next.value;
  // Git looks for this extension at one place alone, and for all others from where it points.
  const hint = end - 12 - hashSizes[format];
  if (body.toString("latin1", hint, hint + 4) === "EOIE")
    insist(body.readUInt32BE(hint + 8) === entriesEnd);
  for (const { name, data } of indexExtensions(body, entriesEnd)) {
    // One in small letters changes which paths the entries mean.
    insist(/^[A-Z]/.test(name));
    if (name === "IEOT") checkBlocks(data.subarray(4), starts);
  }
  return [...paths];
}

/** A regular file or a symbolic link; neither a submodule nor a directory of a sparse index. */
function isPlain({ kind, name, statedLength }: IndexEntry): boolean {
  return (kind === 0b1000 || kind === 0b1010) && Math.min(name.length, 0xfff) === statedLength;
}

/** The name as text. Throws where it is no UTF-8 or leaves the work tree. */
function pathOf(name: Buffer): string {
  const path = name.toString("utf8");
  insist(isUtf8(name) && !/(^|\/)(\.{0,2}|\.git)(\/|$)/i.test(path));
  return path;
}

/** Blocks of entries that several threads read: an offset and a number of entries each. */
function checkBlocks(blocks: Buffer, starts: readonly number[]): void {
  let entry = 0;
  for (let at = 0; at < blocks.length; at += 8) {
    insist(blocks.readUInt32BE(at) === starts[entry]);
    entry += blocks.readUInt32BE(at + 4);
  }
}

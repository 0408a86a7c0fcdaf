import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

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
  const version = body.readUInt32BE(4);
  insist(body.toString("latin1", 0, 4) === "DIRC" && version >= 2 && version <= 4);

  const paths = new Set<string>();
  const starts: number[] = [];
  let name: Buffer = Buffer.alloc(0);
  let total = 0;
  let at = 12;
  for (let count = body.readUInt32BE(8); count > 0; count -= 1) {
    starts.push(at);
    // Regular files and symbolic links; neither submodules nor the directories of a sparse index.
    insist([0b1000, 0b1010].includes(body.readUInt32BE(at + 24) >>> 12));
    const flagsAt = at + 40 + hashSizes[format];
    const flags = body.readUInt16BE(flagsAt);
    const isExtended = (flags & 0x4000) !== 0;
    insist(!isExtended || version > 2);
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const removed = readOffset(body, nameAt);
      kept = name.length - removed.value;
      nameAt = removed.next;
    }
    const nameEnd = body.indexOf(0, nameAt);
    insist(kept >= 0 && nameEnd >= nameAt);
    name = Buffer.concat([name.subarray(0, kept), body.subarray(nameAt, nameEnd)]);
    total += name.length;
    insist(Math.min(name.length, 0xfff) === (flags & 0xfff) && total <= largestNames);
    paths.add(pathOf(name));
    at = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7);
  }
  // Git looks for this extension at one place alone, and for all others from where it points.
  const hint = end - 12 - hashSizes[format];
  if (body.toString("latin1", hint, hint + 4) === "EOIE")
    insist(body.readUInt32BE(hint + 8) === at);
  checkExtensions(body, at, starts);
  return [...paths];
}

/** A number in groups of seven bits, where each group but the last counts one more. */
export function readOffset(bytes: Buffer, at: number): { value: number; next: number } {
  let byte = bytes.readUInt8(at);
  let value = byte & 0x7f;
  let next = at + 1;
  for (; byte >= 0x80; next += 1) {
    byte = bytes.readUInt8(next);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next };
}

/** The name as text. Throws where it is no UTF-8 or leaves the work tree. */
function pathOf(name: Buffer): string {
  const path = name.toString("utf8");
  insist(isUtf8(name) && !/(^|\/)(\.{0,2}|\.git)(\/|$)/i.test(path));
  return path;
}

/** Throws at an extension that changes which paths the entries mean, or sends git to other entries than those that were read. */
function checkExtensions(body: Buffer, entriesEnd: number, starts: readonly number[]): void {
  let at = entriesEnd;
  while (at < body.length) {
    const next = at + 8 + body.readUInt32BE(at + 4);
    const name = body.toString("latin1", at, at + 4);
    insist(/^[A-Z]/.test(name));
    if (name === "IEOT") checkBlocks(body.subarray(at + 12, next), starts);
    at = next;
  }
  insist(at === body.length);
}

/** Blocks of entries that several threads read: an offset and a number of entries each. */
function checkBlocks(blocks: Buffer, starts: readonly number[]): void {
  let entry = 0;
  for (let at = 0; at < blocks.length; at += 8) {
    insist(blocks.readUInt32BE(at) === starts[entry]);
    entry += blocks.readUInt32BE(at + 4);
  }
}

/** Throws where a condition does not hold; the caller then cannot tell. */
export function insist(condition: boolean): asserts condition {
  if (!condition) throw new Error("It cannot be told what git tracks.");
}

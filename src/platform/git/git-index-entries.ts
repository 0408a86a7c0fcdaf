/** One entry of an index (see gitformat-index). */
export interface IndexEntry {
  /** The offset at which it begins. */
  readonly at: number;
  /** The kind of object: 8 is a file, 10 a symbolic link, 14 a submodule. */
  readonly kind: number;
  /** The length of the name as the entry states it; longer ones state 0xfff. */
  readonly statedLength: number;
  readonly name: Buffer;
}

/** The entries of an index without its checksum; returns the offset behind the last. Throws where the data is malformed. */
export function* indexEntries(body: Buffer, hashSize: number): Generator<IndexEntry, number> {
  const version = body.readUInt32BE(4);
  insist(body.toString("latin1", 0, 4) === "DIRC" && version >= 2 && version <= 4);
  let name: Buffer = Buffer.alloc(0);
  let at = 12;
  for (let count = body.readUInt32BE(8); count > 0; count -= 1) {
    const flagsAt = at + 40 + hashSize;
    const flags = body.readUInt16BE(flagsAt);
    const isExtended = (flags & 0x4000) !== 0;
    insist(!isExtended || version > 2);
    const nameAt = flagsAt + (isExtended ? 4 : 2);
    // Version 4 shares the beginnings of names.
    const removed = version === 4 ? readOffset(body, nameAt) : null;
    const ownAt = removed?.next ?? nameAt;
    const nameEnd = body.indexOf(0, ownAt);
    insist(nameEnd >= ownAt);
    const own = body.subarray(ownAt, nameEnd);
    const kept = removed === null ? 0 : name.length - removed.value;
    insist(kept >= 0);
    name = removed === null ? own : Buffer.concat([name.subarray(0, kept), own]);
    yield { at, kind: body.readUInt32BE(at + 24) >>> 12, statedLength: flags & 0xfff, name };
    at = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7);
  }
  return at;
}

/** The extensions behind the entries, by name. Throws where they do not end with the data. */
export function* indexExtensions(
  body: Buffer,
  entriesEnd: number,
): Generator<{ readonly name: string; readonly data: Buffer }> {
  let at = entriesEnd;
  while (at < body.length) {
    const next = at + 8 + body.readUInt32BE(at + 4);
    yield { name: body.toString("latin1", at, at + 4), data: body.subarray(at + 8, next) };
    at = next;
  }
  insist(at === body.length);
}

/** A number in groups of seven bits, where each group but the last counts one more. */
function readOffset(bytes: Buffer, at: number): { value: number; next: number } {
  let byte = bytes.readUInt8(at);
  let value = byte & 0x7f;
  let next = at + 1;
  for (; byte >= 0x80; next += 1) {
    byte = bytes.readUInt8(next);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next };
}

/** Throws if a condition is false; the caller then does not know the answer. */
export function insist(condition: boolean): asserts condition {
  if (!condition) throw new Error("The files that git tracks are unknown.");
}

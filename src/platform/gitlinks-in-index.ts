import { readOffset } from "./git-index-paths.ts";

/** The paths of submodules in an index (see gitformat-index); `null`: it is not as described there, or has parts elsewhere. */
export function gitlinksInIndex(bytes: Buffer, hashSize: 20 | 32): string[] | null {
  try {
    return read(bytes.subarray(0, bytes.length - hashSize), hashSize);
  } catch {
    // Data that ends early.
    return null;
  }
}

const gitlink = 0b1110;

function read(body: Buffer, hashSize: number): string[] | null {
  const version = body.readUInt32BE(4);
  if (body.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return null;
  const links: string[] = [];
  let name: Buffer = Buffer.alloc(0);
  let at = 12;
  for (let count = body.readUInt32BE(8); count > 0; count -= 1) {
    const flagsAt = at + 40 + hashSize;
    const isExtended = (body.readUInt16BE(flagsAt) & 0x4000) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const removed = readOffset(body, nameAt);
      kept = name.length - removed.value;
      nameAt = removed.next;
    }
    const nameEnd = body.indexOf(0, nameAt);
    if (kept < 0 || nameEnd < nameAt) return null;
    const isLink = body.readUInt32BE(at + 24) >>> 12 === gitlink;
    // Names of other entries matter where the next one shares their beginning.
    if (isLink || version === 4)
      name = Buffer.concat([name.subarray(0, kept), body.subarray(nameAt, nameEnd)]);
    if (isLink) links.push(name.toString("utf8"));
    at = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7);
  }
  return at <= body.length && !isSplit(body, at) ? links : null;
}

/** Whether further entries are in another file. */
function isSplit(body: Buffer, entriesEnd: number): boolean {
  for (let at = entriesEnd; at + 8 <= body.length; at += 8 + body.readUInt32BE(at + 4))
    if (body.toString("latin1", at, at + 4) === "link") return true;
  return false;
}

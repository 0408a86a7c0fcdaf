import { indexEntries, indexExtensions } from "./git-index-entries.ts";

const gitlink = 0b1110;

/** The paths of submodules in an index (see gitformat-index); `null`: it is not as described there, or has parts elsewhere. */
export function gitlinksInIndex(bytes: Buffer, hashSize: 20 | 32): string[] | null {
  const body = bytes.subarray(0, bytes.length - hashSize);
  const links: string[] = [];
  try {
    const entries = indexEntries(body, hashSize);
    let next = entries.next();
    for (; next.done !== true; next = entries.next())
      if (next.value.kind === gitlink) links.push(next.value.name.toString("utf8"));
    const isSplit = indexExtensions(body, next.value).some(({ name }) => name === "link");
    return isSplit ? null : links;
  } catch {
    // Data that ends early or is malformed.
    return null;
  }
}

/**
 * Replaces private keys in blocks (`-----BEGIN … PRIVATE KEY-----`), of every kind, over many lines or on one with `\n`
 * in it. Cut blocks count too: a beginning without its end, an end without its beginning. Searched by hand, because an
 * expression would read the same lines again and again.
 */
export function replacePrivateKeys(text: string, replacement: string): string {
  if (!text.includes(words)) return text;
  const endings = new Endings(text);
  let result = "";
  let done = 0;
  for (;;) {
    const found = text.indexOf(words, done);
    if (found === -1) return result + text.slice(done);
    const fence = fenceAround(text, found);
    if (fence === undefined) {
      result += text.slice(done, found + words.length);
      done = found + words.length;
      continue;
    }
    const start = fence.begins ? fence.start : startOfLines(text, fence.start, done);
    result += text.slice(done, Math.max(done, start)) + replacement;
    done = fence.begins ? (endings.after(fence.end) ?? endOfLines(text, fence.end)) : fence.end;
  }
}

const words = "PRIVATE KEY";
const longestLabel = 40;
/** Length limit of a block; the largest keys take a fifth of it. */
const longestBlock = 65_536;

/** The fence (line of dashes) around the words. */
function fenceAround(
  text: string,
  found: number,
): { begins: boolean; start: number; end: number } | undefined {
  const before = text.slice(Math.max(0, found - longestLabel), found);
  const opening = /-----(BEGIN|END) [A-Z0-9 ]*$/.exec(before);
  const closing = /^PRIVATE KEY(?: BLOCK)?-----/.exec(text.slice(found, found + longestLabel));
  if (opening === null || closing === null) return undefined;
  const start = found - opening[0].length;
  return { begins: opening[1] === "BEGIN", start, end: found + closing[0].length };
}

/** Finds the end of the next block. Each end is searched once, however many beginnings there are. */
class Endings {
  readonly #text: string;
  #next = -1;

  constructor(text: string) {
    this.#text = text;
  }

  after(from: number): number | undefined {
    if (this.#next < from) {
      const found = this.#text.indexOf("-----END ", from);
      this.#next = found === -1 ? Infinity : found;
    }
    if (this.#next - from > longestBlock) return undefined;
    fenceEnd.lastIndex = this.#next;
    return fenceEnd.test(this.#text) ? fenceEnd.lastIndex : undefined;
  }
}

const fenceEnd = /-----END [A-Z0-9 ]{0,40}-----/y;

/** The position after the lines of base64 that follow a fence. */
function endOfLines(text: string, from: number): number {
  lines.lastIndex = from;
  return lines.test(text) ? lines.lastIndex : from;
}

const lines =
  /(?:\\[nrt]|\s)*(?:[\w-]{1,20}: [^\n\\]{0,80}(?:\\[nrt]|\s)+){0,4}(?:(?:\d{1,7}[\t:-])?[A-Za-z0-9+/=]{16,}(?:\\[nrt]|\s)+)*(?:[A-Za-z0-9+/=]+$)?/y;

/** The position where the lines of base64 before a fence begin. */
function startOfLines(text: string, fence: number, earliest: number): number {
  let start = fence;
  let at = fence;
  while (at > earliest) {
    const code = text.charCodeAt(at - 1);
    const isEscape = code === 0x6e && text.charCodeAt(at - 2) === 0x5c;
    if (isEscape) at -= 2;
    else if (isBase64(code) || code === 0x0d || code === 0x0a || code === 0x09) at -= 1;
    else break;
    if (isEscape || code === 0x0a) start = at;
  }
  // Lines before the first break are whole; the text may also begin with a piece of one.
  return at <= earliest ? earliest : start;
}

function isBase64(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x2b ||
    code === 0x2f ||
    code === 0x3d
  );
}

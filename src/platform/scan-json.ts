export interface JsonScan {
  /** Offsets of keys and items, by `JSON.stringify(path)`; only down to the third level. */
  readonly offsets: ReadonlyMap<string, number>;
  /** The first error. */
  readonly error?: { readonly offset: number; readonly reason: string };
}

type Expected = keyof typeof reasons;

const reasons = {
  value: "a value is expected here",
  valueOrEnd: "a value or ']' is expected here",
  key: "a key in double quotes is expected here; remove a comma after the last one",
  keyOrEnd: "a key in double quotes or '}' is expected here",
  colon: "':' is expected here",
  commaOrBracket: "',' or ']' is expected here",
  commaOrBrace: "',' or '}' is expected here",
  end: "nothing more is expected here",
};

const deepest = 3;

/**
 * Locates keys and items in a JSON text. `JSON.parse` does not report positions, not even reliably for an error. Its
 * messages also quote the text, and a link may lead to a file whose content must stay hidden. Works without recursion:
 * the nesting is untrusted.
 */
export function scanJson(text: string): JsonScan {
  const offsets = new Map<string, number>();
  /** One step for each open list or object. */
  const path: (string | number)[] = [];
  let expected: Expected = "value";
  const fail = (offset: number, reason: string): JsonScan => ({
    offsets,
    error: { offset, reason: text[offset] === "/" ? "JSON has no comments" : reason },
  });
  const note = (offset: number): void => {
    if (path.length <= deepest) offsets.set(JSON.stringify(path), offset);
  };
  const afterValue = (): Expected => {
    if (path.length === 0) return "end";
    return typeof path.at(-1) === "number" ? "commaOrBracket" : "commaOrBrace";
  };

  for (let at = skipBlanks(text, 0); ; at = skipBlanks(text, at)) {
    const character = text[at];
    if (character === undefined) {
      return expected === "end"
        ? { offsets }
        : fail(at, `the text ends too early: ${reasons[expected]}`);
    }
    const closes: string | undefined = closing[expected];
    if (character === closes) {
      path.pop();
      expected = afterValue();
      at += 1;
    } else if (expected === "value" || expected === "valueOrEnd") {
      if (typeof path.at(-1) === "number") note(at);
      if (character === "{" || character === "[") {
        path.push(character === "{" ? "" : 0);
        expected = character === "{" ? "keyOrEnd" : "valueOrEnd";
        at += 1;
        continue;
      }
      const end = character === '"' ? endOfString(text, at) : endOfWord(text, at);
      if (end === undefined) return fail(at, reasons[expected]);
      if (end < 0) return fail(-end, "the text in quotes is not closed or not escaped here");
      at = end;
      expected = afterValue();
    } else if ((expected === "key" || expected === "keyOrEnd") && character === '"') {
      const end = endOfString(text, at);
      if (end < 0) return fail(-end, "the text in quotes is not closed or not escaped here");
      path[path.length - 1] = JSON.parse(text.slice(at, end)) as string;
      note(at);
      at = end;
      expected = "colon";
    } else if (expected === "colon" && character === ":") {
      expected = "value";
      at += 1;
    } else if (expected.startsWith("comma") && character === ",") {
      const step = path.at(-1);
      if (typeof step === "number") path[path.length - 1] = step + 1;
      expected = typeof step === "number" ? "value" : "key";
      at += 1;
    } else {
      return fail(at, reasons[expected]);
    }
  }
}

const closing: Partial<Record<Expected, string>> = {
  valueOrEnd: "]",
  keyOrEnd: "}",
  commaOrBracket: "]",
  commaOrBrace: "}",
};

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\t" || text[at] === "\r") at += 1;
  return at;
}

/** The offset behind the closing quote, or the negative offset of an error. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === '"') return at + 1;
    if (character < " ") return -at;
    if (character !== "\\") continue;
    escape.lastIndex = at;
    const length = escape.exec(text)?.[0].length;
    if (length === undefined) return -at;
    at += length - 1;
  }
  return -text.length;
}

function endOfWord(text: string, at: number): number | undefined {
  word.lastIndex = at;
  return word.test(text) ? word.lastIndex : undefined;
}

const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const word = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;

/** Line and column of an offset, for people: both from 1. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

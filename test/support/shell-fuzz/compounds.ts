import { enclosed, endOfLine, type Draft } from "./draft.ts";

/** Writes one simple command. */
export type Leaf = (draft: Draft, depth: number) => string;

/** Some commands put together by ordinary syntax; where a simple command stands, `leaf` writes it. */
export function compound(draft: Draft, depth: number, leaf: Leaf): string {
  const { random } = draft;
  if (depth <= 0 || random.chance(0.3)) return leaf(draft, depth);
  const form = random.pick(forms);
  return form(draft, {
    one: () => leaf(draft, depth - 1),
    list: () => compound(draft, depth - 1, leaf),
    inside: () => enclosed(random, (own) => compound(own, depth - 1, leaf)),
  });
}

interface Parts {
  one: () => string;
  list: () => string;
  /** With its own lines, for what is enclosed in parentheses or braces. */
  inside: () => string;
}

const forms: readonly ((draft: Draft, parts: Parts) => string)[] = [
  (draft, { list }) => `${list()}${separator(draft)}${list()}`,
  (draft, { list }) => `${list()}${separator(draft)}${list()}${separator(draft)}${list()}`,
  (_, { one, list }) => `${one()} && ${list()}`,
  (_, { one, list }) => `${one()} || ${list()}`,
  (_, { one }) => `${one()} | ${one()}`,
  (_, { one }) => `${one()} |& ${one()} | ${one()}`,
  (_, { one }) => `! ${one()}`,
  (draft, { list, one }) => `${one()} &${endOfLine(draft)}${list()}`,
  (_, { inside }) => `( ${inside()} )`,
  (_, { inside }) => `(${apart(inside())})`,
  (draft, { list }) => `{ ${list()}${endOfLine(draft)}}`,
  (_, { one }) => `{ ${one()}; ${one()}; } 2>/dev/null`,
  (_, { one }) => `if ${one()}; then ${one()}; fi`,
  (draft, { list, one }) =>
    `if ${one()}${endOfLine(draft)}then${endOfLine(draft)}${list()}${endOfLine(draft)}elif ${one()}; then ${one()}; else ${one()}; fi`,
  (_, { one }) => `for i in 1 2; do ${one()}; done`,
  (draft, { list }) => `for i in a 'b c'${endOfLine(draft)}do ${list()}${endOfLine(draft)}done`,
  (_, { one }) => `while false; do ${one()}; done`,
  (_, { one }) => `until true; do ${one()}; done`,
  (_, { one }) => `case a in a) ${one()};; b|c) ${one()};; esac`,
  (draft, { list }) =>
    `case "x y" in${endOfLine(draft)}(x*) ${list()}${endOfLine(draft)};;${endOfLine(draft)}*) ;; esac`,
  (_, { one }) => `time ${one()}`,
  (draft, { list }) => `# a comment; with evil && $(evil)${endOfLine(draft)}${list()}`,
  (draft, { one }) => `${one()} # evil${endOfLine(draft)}true`,
  (_, { one }) => `${one()} \\\n&& ${one()}`,
  ({ random }, { one }) => `${one()} | xargs ${random.pick(["good1", "good2 x", "good3"])}`,
];

/** Two parentheses in a row may be arithmetic, which is no ordinary syntax. */
function apart(text: string): string {
  return text.startsWith("(") ? ` ${text}` : text;
}

function separator(draft: Draft): string {
  return draft.random.chance(0.5)
    ? draft.random.pick(["; ", ";", " ; "])
    : `${endOfLine(draft)}${draft.random.pick(["", "", "  ", "\n"])}`;
}

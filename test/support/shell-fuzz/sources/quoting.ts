import type { Random } from "../random.ts";

/** Quotes in quotes, with something live in the middle. */
export function quotedCommand(random: Random): string {
  let text = random.pick(payloads);
  for (let depth = 1 + random.below(4); depth > 0; depth -= 1) {
    const [open, close] = random.pick(pairs);
    const [before, after] = [random.pick(fillers), random.pick(fillers)];
    text = `${before}${open}${text}${close}${after}`;
  }
  return random.pick(frames).replaceAll("«»", () => text);
}

const payloads = [
  ...[
    "evil",
    "$(evil)",
    "`evil`",
    "; evil;",
    "\nevil\n",
    "&evil&",
    "|evil|",
    "$x",
    "a b",
    "\\",
    "é",
  ],
  ...[
    "${x:-$(evil)}",
    "*",
    "#",
    ") evil (",
    "\\\nevil",
    "<(evil)",
    "$((x))",
    "../outside/secret.txt",
  ],
  ...[".env", "\\$(evil)", "\\`evil\\`", "\\\\$(evil)", "!", "''", '""', "\\'", '\\"'],
];
const pairs: readonly (readonly [string, string])[] = [
  ["'", "'"],
  ['"', '"'],
  ['"', '"'],
  ["$(echo ", ")"],
  ["$(good1 ", ")"],
  ['"$(', ')"'],
  ["\\'", "\\'"],
  ['\\"', '\\"'],
  ["$'", "'"],
  ['$"', '"'],
  ["`", "`"],
  ["${x:-", "}"],
  ["(", ")"],
  ["{ ", "; }"],
  ["<<'E'\n", "\nE\n"],
  ["<<E\n", "\nE\n"],
  ["\\", ""],
  ["\\\\", ""],
];
const fillers = ["", "", "", "a", " ", "\\", "'", '"', "$", "#", " #", "=", "\n", "é", "~", "$x"];
const frames = [
  ...["echo «»", "good1 «»", "cat «»", "x=«»", "x=«» good1", "«»", "good1 a«»b «»", "echo a > «»"],
  ...[
    "[ «» ]",
    "test -n «»",
    'for i in «»; do good1 "$i"; done',
    "cat < «»",
    "if good1 «»; then :; fi",
  ],
  ...["good1 «» | good2 «»", "printf «»", "grep «» data.txt", "good1 \\\n«»", "good1 # «»\ngood2"],
];

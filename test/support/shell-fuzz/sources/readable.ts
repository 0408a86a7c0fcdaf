import type { Random } from "../random.ts";

// Commands of readable shell, one function for each rule of its grammar, in one file as the grammar is. Here-documents wait
// for the next end of a line.

/** A command that the grammar describes, with an odd piece now and then at the edge of it. */
export function readableCommand(random: Random): string {
  const draft: Draft = {
    random,
    document: null,
    isSubstitution: false,
    odd: random.chance(0.25) ? 0.05 : 0,
  };
  const depth = random.pick([0, 0, 0, 1, 1, 2]);
  // Bash keeps a substitution as text that it prints itself, so that all of the grammar is tried there too.
  if (random.chance(0.15))
    return random.pick(frames).replace("«»", () => substitution(draft, depth + 1));
  const text = list(draft, depth);
  return `${text}${ended(draft)}`;
}

interface Draft {
  random: Random;
  /** The lines that follow the next newline. */
  document: string | null;
  /** No comment may stand in a substitution. */
  isSubstitution: boolean;
  /** How likely a piece is that may not be readable. */
  odd: number;
}

const frames = [
  "good1 «»",
  'good1 "«»"',
  "x=«»",
  'echo "a «» b"',
  "good2 a«»b; good1",
  "for i in «»; do good1; done",
];

function newline(draft: Draft): string {
  const { document } = draft;
  draft.document = null;
  return document === null ? "\n" : `\n${document}\n`;
}

function ended(draft: Draft): string {
  return draft.document === null
    ? draft.random.pick(["", "", "\n", " ", ";", " &"])
    : newline(draft);
}

function list(draft: Draft, depth: number): string {
  const { random } = draft;
  let text = andOr(draft, depth);
  for (let left = random.below(depth > 0 ? 3 : 2); left > 0; left -= 1)
    text += `${separator(draft)}${andOr(draft, depth)}`;
  return text;
}

function separator(draft: Draft): string {
  const { random } = draft;
  return random.pick([
    () => "; ",
    () => ";",
    () => " & ",
    () => "&",
    () => newline(draft),
    () => `${draft.isSubstitution ? "" : ` # a comment; evil $(evil) ' "`}${newline(draft)}`,
    () => `;${newline(draft)}`,
    () => `${newline(draft)}\n${draft.isSubstitution ? "" : "# evil"}\n\t`,
  ])();
}

function andOr(draft: Draft, depth: number): string {
  const { random } = draft;
  const first = pipeline(draft, depth);
  if (random.chance(0.7)) return first;
  const line = random.chance(0.2) ? newline(draft) : "";
  return `${first}${random.pick([" && ", "&&", " || ", "||"])}${line}${pipeline(draft, depth)}`;
}

function pipeline(draft: Draft, depth: number): string {
  const { random } = draft;
  const not = random.chance(0.05) ? "! " : "";
  const first = command(draft, depth);
  if (random.chance(0.75)) return `${not}${first}`;
  const line = random.chance(0.1) ? newline(draft) : "";
  return `${not}${first}${random.pick([" | ", "|"])}${line}${command(draft, depth)}`;
}

function command(draft: Draft, depth: number): string {
  const { random } = draft;
  if (depth <= 0 || random.chance(0.6)) return simple(draft, depth);
  const inner = (): string => list(draft, depth - 1);
  const end = (): string => (draft.document === null ? random.pick(["; ", "\n"]) : newline(draft));
  return `${random.pick([
    () =>
      `(${random.pick([" ", "", "\n"])}${spaced(inner())}${draft.document === null ? "" : newline(draft)})`,
    () => `{ ${inner()}${end()}}`,
    () => `if ${inner()}${end()}then ${inner()}${end()}fi`,
    () => `if ${inner()}${end()}then\n${inner()}${end()}else ${inner()}${end()}fi`,
    () =>
      `if ${inner()}${end()}then ${inner()}${end()}elif ${inner()}${end()}then ${inner()}${end()}fi`,
    () => `for ${random.pick(names)} in ${words(draft, depth)}${end()}do ${inner()}${end()}done`,
    () => `while ${inner()}${end()}do ${inner()}${end()}break${end()}done`,
    () => `while false; do ${inner()}${end()}done`,
  ])()}${redirections(draft, 0.2)}`;
}

/** Two parentheses in a row are arithmetic. */
function spaced(text: string): string {
  return text.startsWith("(") ? ` ${text}` : text;
}

const names = ["x", "y", "i", "_a1", "f"];
const programs = [
  ...["good1", "good1", "good2", "good3", "evil", "other", "good1", "good2"],
  ...["cat", "ls", "head", "grep", "wc", "sort", "echo", "printf '%s'", "true", "git", "find"],
  ...["command good1", "nice good2", "timeout 1 good1", "xargs good1", "command -p good1", "cut"],
  ...["good'1'", '"good2"', "\\good1", "g\\ood2", "./good1", "sub/../good2", "time good1", "cd"],
];

function simple(draft: Draft, depth: number): string {
  const { random } = draft;
  if (random.chance(0.05)) return test(draft, depth);
  const parts: string[] = [];
  while (random.chance(0.12)) parts.push(assignment(draft, depth));
  if (random.chance(0.05)) parts.push(redirection(draft));
  if (parts.length === 0 || random.chance(0.8)) {
    parts.push(random.chance(0.04) ? word(draft, depth) : random.pick(programs));
    for (let left = random.below(4); left > 0; left -= 1) {
      parts.push(random.chance(0.12) ? redirection(draft) : word(draft, depth));
    }
  }
  return parts.join(random.pick([" ", " ", " ", "  ", "\t"]));
}

function assignment(draft: Draft, depth: number): string {
  const { random } = draft;
  const name = random.pick([...names, "LANG", "HOME", "PATH", "IFS"]);
  const value = random.chance(0.15) ? "" : word(draft, depth);
  return `${name}=${value.startsWith("~") ? "a" : ""}${value}`;
}

function test(draft: Draft, depth: number): string {
  const { random } = draft;
  const one = (): string =>
    random.chance(0.8)
      ? random.pick(["a", '"$x"', "data.txt", "'b c'", "1", '""'])
      : word(draft, depth);
  const inner = random.pick([
    () => `${random.pick(["-e", "-f", "-n", "-z", "-d", "-e", "-s", "-L"])} ${one()}`,
    () => `${one()} ${random.pick(["=", "!=", "-eq", "-nt", "-lt", "==", "\\<", "-ef"])} ${one()}`,
    () => one(),
    () => `! ${one()}`,
  ])();
  return random.chance(0.5) ? `[ ${inner} ]` : `test ${inner}`;
}

function words(draft: Draft, depth: number): string {
  return Array.from({ length: draft.random.below(4) }, () => word(draft, depth)).join(" ");
}

function redirections(draft: Draft, share: number): string {
  return draft.random.chance(share) ? ` ${redirection(draft)}` : "";
}

const operators = ["<", ">", ">>", "2>", "2>>", "&>", "&>>"];
const targets = [
  ...["out", "/dev/null", "data.txt", "'a b'", "sub/new", '"out 2"', "\\$x", "o'u't", "~/out"],
  ...["link-file", "../outside/new", "1", "2", "-", "x=1", "!", "^", "{}", ".git/config", "-x"],
];

function redirection(draft: Draft): string {
  const { random } = draft;
  if (random.chance(0.25)) return random.pick(["2>&1", ">&2", "1>&2"]);
  if (random.chance(0.15) && draft.document === null) return hereDocument(draft);
  const space = random.pick(["", " "]);
  const target = random.chance(0.2) ? word(draft, 0) : random.pick(targets);
  return `${random.pick(operators)}${space}${target}`;
}

function hereDocument(draft: Draft): string {
  const { random } = draft;
  const mark = random.pick(["EOF", "E", "x1", "_"]);
  const lines = Array.from({ length: random.below(4) }, () => random.pick(documentLines));
  draft.document = [...lines, mark].join("\n");
  return `<<${random.pick(["", " "])}${random.chance(0.5) ? `'${mark}'` : `"${mark}"`}`;
}

const documentLines = [
  ...["text", "$(evil)", "`evil`", "'", '"', "\\", "EOF ", " EOF", "EOFx", "evil", ")", "}", "#"],
  ...["$x ${x}", "é", "", "\tE", "done", "<<E", "E)", "x1;"],
];

function word(draft: Draft, depth: number): string {
  const { random } = draft;
  if (random.chance(0.3)) return random.pick(wholeWords);
  let text = "";
  for (let left = 1 + random.below(3); left > 0; left -= 1) text += piece(draft, depth);
  return text;
}

const wholeWords = [
  ...["a", "-x", "--flag=1", "data.txt", "sub", "evil", "1", "~", "~/notes.txt", "~/", "a~", "{}"],
  ...["-I{}", "*", "odd/*", "*.txt", "?ub", "sub/?*", "..", "../outside/secret.txt", "link-file"],
  ...[
    "''",
    '""',
    "!",
    "a=b",
    "if",
    "done",
    "in",
    "!x",
    "^a",
    "%1",
    "@",
    "a,b",
    "+x",
    "a:b",
    "2",
    "10",
  ],
  ...["=", "==", "-", "--", ".", ".env", "secrets/key", "$?", "a.b~", "'a'~", "time", "then", "do"],
];

function piece(draft: Draft, depth: number): string {
  const { random } = draft;
  if (random.chance(draft.odd)) return random.pick(oddPieces);
  return random.pick([
    () => random.pick(ordinary),
    () => random.pick(ordinary),
    () => `\\${random.pick(printable)}`,
    () => `'${random.pick(quotedTexts).replaceAll("'", "")}'`,
    () => double(draft, depth),
    () => double(draft, depth),
    () => random.pick(["$x", "${y}", "$HOME", "$?", "${HOME}", "$_a1", "$PWD"]),
    () => random.pick(["*", "?", "**"]),
    () => (depth > 0 && random.chance(0.4) ? substitution(draft, depth) : "b"),
  ])();
}

const ordinary = [
  "a",
  "b1",
  "./",
  "-",
  "=",
  ":",
  ",",
  "+",
  "%",
  "^",
  "!",
  "@",
  "_",
  "x/",
  "..",
  "a~",
];
const printable = [...Array(95).keys()].map((at) => String.fromCharCode(32 + at));
const quotedTexts = [
  ...[
    "a b",
    "$(evil)",
    "`evil`",
    "; evil",
    "\\",
    "\\\\",
    '"',
    "\n",
    "\nevil\n",
    "#",
    "é",
    "*",
    "~",
  ],
  ...["", "{a,b}", "!", "$x", "a\tb", "\\n", "&&", "漢字", "\u00A0", ")", "\\'"],
];
const oddPieces = [
  ...[
    "a:~",
    "x=~",
    "a#b",
    "]",
    "a]",
    "[a]",
    " }",
    "=~",
    ":~",
    "~a",
    "~+",
    "'a'~",
    "$x~",
    " # ",
    "''~",
  ],
  ...[
    "$'",
    "`",
    "${",
    "$((",
    "<(",
    "{a,b}",
    "[a]",
    "#",
    "(",
    ")",
    "|&",
    ";;",
    "\\\n",
    '$"',
    "$",
    "&",
  ],
  ...[
    "=(",
    "[[",
    "]]",
    "é",
    "{",
    "}",
    ">&",
    "<>",
    ">|",
    "<<<",
    "<<",
    "<<-",
    "1>",
    "3<",
    "+=",
    "a[",
  ],
];

function double(draft: Draft, depth: number): string {
  const { random } = draft;
  let text = "";
  for (let left = random.below(4); left > 0; left -= 1) {
    text += random.pick([
      () => random.pick(quotedTexts).replaceAll(/["\\$`]/g, ""),
      () => `\\${random.pick(printable)}`,
      () => random.pick(["$x", "${y}", "$HOME", "$?", "'", "''", "a'b", "é", "#", "*", "~"]),
      () => (depth > 0 && random.chance(0.4) ? substitution(draft, depth) : "c"),
      () => random.pick(ordinary),
    ])();
  }
  return `"${text}"`;
}

function substitution(draft: Draft, depth: number): string {
  const inner: Draft = {
    random: draft.random,
    document: null,
    isSubstitution: true,
    odd: draft.odd,
  };
  const text = list(inner, depth - 1);
  const end = inner.document === null ? "" : newline(inner);
  return `$(${draft.random.pick(["", " ", "\n"])}${spaced(text)}${end})`;
}

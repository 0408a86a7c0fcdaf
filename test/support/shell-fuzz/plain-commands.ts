import { enclosed, hereDocument, type Draft } from "./draft.ts";
import type { Random } from "./random.ts";
import { bare, spell } from "./spelling.ts";
import { allowedStubs } from "./stubs.ts";

const words = [
  ...["a", "b c", "-x", "--flag=1", "data.txt", "sub", "evil", "rm -rf", "1 2", "é", "", "x;y"],
  ...["a&&b", "|", "$HOME", "`x`", "#", "!", "~", "*", "it's", '"', "\\", "{a,b}", "(", "<a>"],
  // Only text as long as the quotes around them hold, which a mutation may end.
  ...["$(evil)", "; evil #", "x\nother\n", "`evil`", "') evil", '"; other; "', "a & evil & b"],
];

/** A word that is only text, however strange, in some spelling. */
export function staticWord(random: Random): string {
  const word = random.pick(words);
  return word !== "" && (random.chance(0.6) || !/^[ -~]*$/.test(word))
    ? bare(word)
    : spell(word, random);
}

/** A simple command that the rules allow, with ordinary decorations. */
export function plainCommand(draft: Draft, depth: number): string {
  const { random } = draft;
  if (random.chance(0.3)) return `${readOnlyCommand(draft, depth)}${plainRedirection(draft)}`;
  const parts = [
    ...(random.chance(0.1) ? [random.pick(safeAssignments)] : []),
    ...(random.chance(0.15) ? [random.pick(wrappers)] : []),
    random.chance(0.05) ? spell(random.pick(allowedStubs), random) : random.pick(allowedStubs),
    ...Array.from({ length: random.below(4) }, () => argument(draft, depth)),
  ];
  return `${parts.join(" ")}${plainRedirection(draft)}`;
}

const safeAssignments = ["NODE_ENV=test", "LANG=C", "LC_ALL='C'", "NO_COLOR=1", 'TZ="UTC"'];

const wrappers = [
  ...["timeout 5", "timeout -k 1 5", "timeout --signal=KILL 5s", "nice", "nice -n 5", "nohup"],
  ...["command", "stdbuf -o0", "stdbuf -oL -eL", "nohup nice", "timeout 5 nice -n 1"],
];

function argument(draft: Draft, depth: number): string {
  const { random } = draft;
  if (depth <= 0 || random.chance(0.9)) return staticWord(random);
  const inner = enclosed(random, (own) => plainCommand(own, depth - 1));
  return random.pick([`"$(${inner})"`, `$( ${inner} )`, `<(${inner})`, `"pre-$(${inner})"`]);
}

function plainRedirection(draft: Draft): string {
  const { random } = draft;
  if (random.chance(0.75)) return "";
  if (random.chance(0.3)) {
    const quoted = random.chance(0.5);
    const text = random.pick([...texts, ...(quoted ? ["$(evil)", "`other`", "'\nevil\n'"] : [])]);
    return ` ${hereDocument(draft, { text, quoted })}`;
  }
  return ` ${random.pick(redirections)}`;
}

const texts = ["plain text", "evil in text", "two\nlines", "a; b && c | d", "other\nevil"];

const redirections = [
  ...["2>&1", ">/dev/null", "2>/dev/null", "&>/dev/null", ">/dev/null 2>&1", "< data.txt"],
  ...["<data.txt", "<<< 'x y'", '<<<"x"', ">&2", "2> /dev/null"],
];

/** A command that only looks, and asks nobody. What it substitutes only looks too. */
function readOnlyCommand(draft: Draft, depth: number): string {
  const { random } = draft;
  if (depth > 0 && random.chance(0.08)) {
    const inner = enclosed(random, (own) => readOnlyCommand(own, depth - 1));
    return random.pick([`echo "$(${inner})"`, `echo $(${inner})`, `cat <(${inner})`]);
  }
  return random.pick(readOnly)(random);
}

const readOnly: readonly ((random: Random) => string)[] = [
  (random) => `echo ${staticWord(random)} ${staticWord(random)}`,
  (random) => `ls ${random.pick(["", "-la", "sub", "-1 sub", "data.txt"])}`.trim(),
  (random) => `cat ${random.pick(["data.txt", "sub/notes.txt", "data.txt sub/notes.txt"])}`,
  (random) => `head -n ${random.below(5)} data.txt`,
  (random) => random.pick(["tail -n 2 data.txt", "tail -1 data.txt"]),
  (random) => `grep ${random.pick(["-n", "-c", "-i"])} ${random.pick(["a", "'b.*'"])} data.txt`,
  (random) => `wc ${random.pick(["-l", "-c", ""])} data.txt`,
  (random) => random.pick(["find . -name '*.txt'", "find sub -type f", "find . -maxdepth 1"]),
  (random) =>
    random.pick(["which good1", "stat data.txt", "du -s sub", "pwd", "diff data.txt x.sh"]),
  (random) => random.pick(["true", "false", ":"]),
  (random) => random.pick(["git status", "git log --oneline", "git diff", "git show HEAD"]),
  (random) => random.pick(["ls *.txt", "cat sub/*", "echo {1..3}"]),
];

import { blanks } from "../blanks.ts";
import type { Random } from "../random.ts";
import { recipes } from "../smuggling/smuggle.ts";
import { readableCommand } from "./readable.ts";

/** A command in which `evil` runs, or is one token away from it, with one token put in. */
export function liveCommand(random: Random, index: number): string {
  const base = baseAt(random, index);
  const at = random.below(base.length + 1);
  const token = random.pick(tokens);
  const text = base.slice(0, at) + token + base.slice(at);
  if (!random.chance(0.2)) return text;
  const further = random.below(text.length + 1);
  return text.slice(0, further) + random.pick(tokens) + text.slice(further);
}

/** Every readable command below with every token at every place, one for each number. */
export function insertionAt(index: number): string {
  let left = index;
  for (const base of bases) {
    const own = (base.length + 1) * tokens.length;
    if (left < own) {
      const at = Math.floor(left / tokens.length);
      return base.slice(0, at) + (tokens[left % tokens.length] ?? "") + base.slice(at);
    }
    left -= own;
  }
  throw new RangeError(`There are ${insertionCount} insertions.`);
}

function baseAt(random: Random, index: number): string {
  if (index % 3 === 0) return random.pick(bases);
  if (index % 3 === 1) return readableCommand(random);
  const recipe = random.pick(random.pick(recipes));
  return recipe
    .replaceAll("«P»", "evil")
    .replaceAll("«Q»", "'evil'")
    .replaceAll("«N»", "evil")
    .replaceAll("«G»", "good1");
}

/** Commands in which `evil` runs, or stands where it would as soon as a quote, comment or list ends elsewhere. */
const bases: readonly string[] = [
  ...["evil", "evil a", "true; evil", "true && evil", "false || evil", "cat data.txt | evil"],
  ...["( evil )", "{ evil; }", "echo $(evil)", 'echo "$(evil)"', "true & evil", "! evil"],
  ...["if true; then evil; fi", "for i in a; do evil; done", "while evil; do break; done"],
  ...["x=$(evil)", "echo a # b\nevil", "cat <<'E'\ntext\nE\nevil", "evil > /dev/null", "evil 2>&1"],
  ...[
    "cat < data.txt; evil",
    "echo '; evil'",
    'echo "; evil"',
    "echo \\; evil",
    "echo a\\'b; evil",
  ],
  ...["cat <<'E'\n$(evil)\nE\n", "cat <<'E'\nevil\nE\n", "echo '$(evil)'", 'echo "\\$(evil)"'],
  ...[
    "echo a # ; evil",
    "echo a#b; evil",
    "ls -la | grep evil",
    "echo 'a' 'evil' \"b\"",
    "[ a = evil ]",
  ],
  ...[
    "cat data.txt 2>/dev/null | head -n 1",
    "grep -n evil data.txt",
    "echo $x evil $y",
    "cd sub; evil",
  ],
  ...['for f in evil a; do echo "$f"; done', "echo ~ evil", "echo {} evil", "test -e evil"],
  ...["cat '../outside/secret.txt'", "cat .env", "ls ../outside", "cat < ../outside/secret.txt"],
  ...["cat sub/notes.txt", "cat 'a b' \"c d\"", "echo a > out", "git status", "find . -name evil"],
];

/** Everything that means something to bash, or to something that reads like it. */
export const tokens: readonly string[] = [
  ..."; & | ( ) { } < > $ ` \" ' \\ # ! * ? [ ] = ~ , % ^ @ - + : / . 0 1 2 9 a x".split(" "),
  ...blanks,
  ...["\u0002", "\u001B", "\u0080", "\u0085", "é", "漢", "\uFEFF", "\u{1F600}", "ÿ", "\u3042"],
  ...["$(", "${", "<(", ">(", "<<", "<<<", "&&", "||", ";;", "((", "))", "[[", "]]", "\\\n", "$'"],
  ...[
    "|&",
    "&>",
    ">|",
    ">&",
    "<&",
    "<>",
    "&>>",
    ">>",
    ">&-",
    "<&-",
    "2>&1",
    "1>",
    "0<",
    "{fd}>",
    '$"',
  ],
  ...[" do ", " done ", " then ", " fi ", " esac ", " in ", "function ", "coproc ", "time ", "! "],
  ...[
    "if ",
    "case ",
    "select ",
    "until ",
    "while ",
    "for ",
    "{ ",
    " }",
    "() { ",
    "; }",
    "$((",
    "$[",
  ],
  ...[
    "<<E\n",
    "\nE\n",
    "<<'E'\n",
    "<<-E\n",
    " # ",
    "\n#",
    "\\\\",
    "\\'",
    '\\"',
    "''",
    '""',
    "'\n",
    '"\n',
  ],
  ...[
    "{a,b}",
    "{a,",
    "..",
    "a=",
    "a+=",
    "a[0]=",
    "=(",
    "x=1 ",
    "PATH=. ",
    "IFS=l ",
    "$x",
    "${x}",
    "$?",
  ],
  ...[
    "$!",
    "$$",
    "$@",
    "$*",
    "$#",
    "$-",
    "$0",
    "$1",
    "${x:-",
    "${!x}",
    "${x@P}",
    "-e ",
    "-- ",
    "~/",
    "~+",
  ],
  ...[
    "eval ",
    "exec ",
    "command ",
    "builtin ",
    "env ",
    "xargs ",
    "nice ",
    ". ",
    "test ",
    "[ ",
    " ]",
  ],
];

export const insertionCount = bases.reduce(
  (sum, base) => sum + (base.length + 1) * tokens.length,
  0,
);

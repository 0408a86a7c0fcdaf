import { blanks } from "./blanks.ts";
import type { Random } from "./random.ts";

/** The same command after a few accidents: something lost, doubled, put in or moved. */
export function mutate(command: string, random: Random): string {
  let text = command;
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    text = random.pick(accidents)(text, random);
  }
  return text;
}

const accidents: readonly ((text: string, random: Random) => string)[] = [
  (text, random) => {
    const [from, to] = span(text, random);
    return text.slice(0, from) + text.slice(to);
  },
  (text, random) => {
    const [from, to] = span(text, random);
    return text.slice(0, to) + text.slice(from);
  },
  (text, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(pieces) + text.slice(at);
  },
  (text, random) => {
    const at = random.below(text.length);
    return text.slice(0, at) + random.pick(pieces) + text.slice(at + 1);
  },
  (text, random) => {
    const [from, to] = span(text, random);
    const rest = text.slice(0, from) + text.slice(to);
    const at = random.below(rest.length + 1);
    return rest.slice(0, at) + text.slice(from, to) + rest.slice(at);
  },
];

function span(text: string, random: Random): [number, number] {
  const from = random.below(text.length);
  return [from, from + 1 + random.below(random.chance(0.7) ? 3 : 20)];
}

const pieces = [
  ...[..."; & | ( ) { } < > $ ` \" ' \\ # ! * ? [ ] = ~ , % ^ @ - + :".split(" ")],
  ...blanks,
  ...["$(", "${", "<(", ">(", "<<", "<<<", "&&", "||", ";;", "((", "))", "[[", "]]", "\\\n", "$'"],
  ...["|&", "&>", ">|", ">&", " do ", " done ", " then ", " fi ", " esac ", " in ", "function "],
  ...[
    "coproc ",
    "time ",
    "! ",
    "{fd}",
    "() { ",
    "; }",
    "$((",
    "$[",
    "<<EOF\n",
    "\nEOF\n",
    "evil",
    "=(",
  ],
  ...[
    "\nevil\n",
    ";evil;",
    "$(evil)",
    "`other`",
    "|other|",
    "&evil&",
    "<<'E'\n",
    "'\n",
    '"\n',
    "\\\\",
    "{a,b}",
  ],
];

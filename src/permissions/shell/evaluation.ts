import type { ShellWord } from "./shell-word.ts";

/** A word of a simple command that bash takes for code, or with which it changes how it reads what follows. */
export interface Evaluation {
  /** The index of the word. */
  readonly at: number;
  readonly what: string;
  readonly remedy: string;
}

/** Builtins of bash that evaluate their arguments, set variables by name or change how bash reads a command. */
const evaluators: ReadonlySet<string> = new Set(
  (
    "eval . source trap exec alias unalias let declare typeset local readonly export read mapfile readarray getopts " +
    "unset enable hash compgen complete compopt bind shopt fc history jobs coproc"
  ).split(" "),
);

/** Variables whose text bash takes for code or a number, or that change how it reads what follows. */
export const evaluatedVariable =
  /^(?:PS[0-4]|PROMPT_COMMAND|ENV|BASH\w*|SHELLOPTS|POSIXLY_CORRECT|CDPATH|GLOBIGNORE|IFS|S?RANDOM|SECONDS|LINENO|HISTCMD|OPT(?:IND|ERR)|EPOCH\w*)$/;

const behindTime =
  /^(?:!|\w+\+?=.*|if|then|elif|else|fi|for|in|while|until|do|done|case|esac|select|function|coproc|time)$/s;

/** The evaluation in a simple command, if any. `command`, `builtin` and `time` are looked through. */
export function evaluationIn(words: readonly ShellWord[]): Evaluation | null {
  const at = programIn(words);
  const program = words[at];
  // `time` alone stands before some operators only.
  if (program === undefined)
    return at === 0 ? null : { at: 0, what: "`time` without a command", remedy: "leave it out" };
  // Behind itself it is a word of the shell again, behind other words a program.
  const again = words.slice(0, at).findIndex(({ text }, place) => place > 0 && text === "time");
  if (again !== -1) return { at: again, what: "a second `time`", remedy: "write it once" };
  if (!program.isStatic) return null;
  const name = program.text;
  const args = words.slice(at + 1);
  const says = (remedy: string): Evaluation => ({ at, what: `\`${name}\``, remedy });
  if (evaluators.has(name)) return says("bash takes its arguments for code or for names");
  // Behind `time` bash looks for reserved words again.
  if (at > 0 && behindTime.test(name)) return says("write it without `time`");
  switch (name) {
    case "set":
      return isHarmlessSet(args) ? null : says("only -e, -u, -x and -o pipefail are readable");
    case "printf":
      return isHarmlessPrintf(args) ? null : says("give it a format of plain text, without -v");
    case "wait":
      return args.every(isNumber) ? null : says("give it numbers");
    case "test":
      return isHarmlessTest(args) ? null : says(testRemedy);
    case "[":
      return args.at(-1)?.text === "]" && isHarmlessTest(args.slice(0, -1))
        ? null
        : says(testRemedy);
    default:
      return null;
  }
}

const testRemedy = "use one test of files, texts or numbers, with quotes around variables";

function programIn(words: readonly ShellWord[]): number {
  let at = 0;
  while (/^(?:command|builtin|time)$/.test(words[at]?.text ?? "")) {
    at += 1;
    while (/^-(?:p|-)$/.test(words[at]?.text ?? "")) at += 1;
  }
  return at;
}

function isHarmlessSet(args: readonly ShellWord[]): boolean {
  const texts = args.map(({ isStatic, text }) => (isStatic ? text : ""));
  return /^(?:-[eux]+|-[eux]*o pipefail)(?: -[eux]+| -[eux]*o pipefail)*$/.test(texts.join(" "));
}

/** `-v` sets a variable, and so does `%n`. */
function isHarmlessPrintf(args: readonly ShellWord[]): boolean {
  const [format] = args[0]?.text === "--" ? args.slice(1) : args;
  if (format === undefined || !format.isStatic || format.text.startsWith("-")) return false;
  return !/%[^%A-Za-z]*[hjlLtz]*n/.test(format.text.replaceAll("%%", ""));
}

function isNumber({ isStatic, text }: ShellWord): boolean {
  return isStatic && /^%?\d+$/.test(text);
}

const unary = /^-[bcdefghknprstuwxzGLNOS]$/;
const binary = /^(?:=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

/** `-v` and `-R` evaluate a subscript, and words that may be several can bring them in. */
function isHarmlessTest(args: readonly ShellWord[]): boolean {
  if (args.some(({ canSplit }) => canSplit)) return false;
  const [first] = args;
  const rest = first?.isStatic === true && first.text === "!" ? args.slice(1) : args;
  const isOperator = (word: ShellWord | undefined, pattern: RegExp): boolean =>
    word?.isStatic === true && pattern.test(word.text);
  if (rest.length === 1) return true;
  if (rest.length === 2) return isOperator(rest[0], unary);
  return rest.length === 3 && isOperator(rest[1], binary);
}

import { literalWord, type ShellWord } from "../../shell/shell-word.ts";
import { isReadOnlyGit } from "./read-only-git.ts";
import { isHarmlessSed } from "./sed-script.ts";

/** What a read-only command may need to know of the command line it stands in. */
export interface Surroundings {
  /** Every path that the word may stand for lies inside the working directories. */
  isInside(word: ShellWord): boolean;
  /** Some part of the command line changes to another directory. */
  readonly changesDirectory: boolean;
  /** Rules keep some files from being read, which a search through directories would come across. */
  readonly hidesFiles: boolean;
  /** Git would take its configuration from a repository that lies among the files. */
  readonly hasStrayRepository: boolean;
}

type Check = (args: readonly ShellWord[], around: Surroundings) => boolean;

/** Commands that need no approval, each with the arguments for which that holds. */
const commands: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...each("echo true false : pwd which", () => true),
  ...each("cat head tail wc ls stat du nl tac cmp", looksAtFiles(/^--files0/)),
  ["diff", compares],
  [
    "sort",
    (args, around) => noGlobs(args) && looksAtFiles(/^-\w*[oT]|^--(?:o|co|fi|t)/)(args, around),
  ],
  ...each("cut tr basename dirname seq", (args) => args.every(({ isStatic }) => isStatic)),
  ["printf", ([format]) => format?.isStatic === true && isHarmlessFormat(format.text)],
  ["grep", searches],
  ["find", (args, around) => noGlobs(args) && finds(args, around)],
  ["sed", edits],
  ["cd", changesTo],
  [
    "git",
    (args, around) =>
      !around.changesDirectory &&
      !around.hasStrayRepository &&
      staysInside(args, around) &&
      isReadOnlyGit(args),
  ],
  ...each("test [", tests),
  ...each("exit return break continue shift sleep wait", (args) =>
    // `wait -p` sets any variable.
    args.every(({ isStatic, text }) => text === "$?" || (isStatic && number.test(text))),
  ),
  ["set", (args) => args.every(({ isStatic, text }) => isStatic && harmlessOption.test(text))],
]);

const number = /^(?:-?\d[\d.]*[smhd]?|%[\d+-]*)$/;

function each(names: string, check: Check): [string, Check][] {
  return names.split(" ").map((name) => [name, check]);
}

/** Whether a command, without its wrappers, only looks, and only at what may be looked at. */
export function isReadOnly([name, ...args]: readonly ShellWord[], around: Surroundings): boolean {
  return name?.isStatic === true && commands.get(name.text)?.(args, around) === true;
}

const harmlessOption = /^(?:[-+][euCfv]+|[-+][euCfv]*o|pipefail|errexit|nounset|noglob|noclobber)$/;

function noGlobs(args: readonly ShellWord[]): boolean {
  return args.every(({ isStatic }) => isStatic);
}

/** Flags, and files inside. `writing`: flags for which that is not so. */
function looksAtFiles(writing: RegExp): Check {
  return (args, around) =>
    args.every(({ text }) => !writing.test(text)) && staysAmongFiles(args, around);
}

/** Flags, and files inside. After `--` everything is a file. */
function staysAmongFiles(args: readonly ShellWord[], around: Surroundings): boolean {
  const end = args.findIndex(({ text }) => text === "--");
  return args.every((word, at) =>
    end !== -1 && at > end ? around.isInside(word) : isFlagOrInside(word, around),
  );
}

function isFlagOrInside(word: ShellWord, around: Surroundings): boolean {
  // What it runs is a command of its own.
  if (word.isProcess) return true;
  if (!word.isStatic) return around.isInside(word);
  if (!word.text.startsWith("-") || word.text === "-")
    return word.text === "-" || around.isInside(word);
  return valuesIn(word.text).every((value) => around.isInside(literalWord(value)));
}

/** What a flag may carry, which may be a path: after `=`, or after any of its letters. */
function valuesIn(flag: string): string[] {
  if (flag.startsWith("--")) return flag.includes("=") ? [flag.slice(flag.indexOf("=") + 1)] : [];
  const ends = Array.from({ length: Math.min(flag.length, 12) - 2 }, (_, at) => flag.slice(at + 2));
  return ends.filter((value) => /[^\d,.]/.test(value));
}

/** `%n` sets any variable. */
function isHarmlessFormat(format: string): boolean {
  return !format.startsWith("-") && !/%[^%A-Za-z]*[hjlLtz]*n/.test(format.replaceAll("%%", ""));
}

/** Directories too, whose files it opens wherever links in them lead. */
function compares(args: readonly ShellWord[], around: Surroundings): boolean {
  if (!noGlobs(args) || args.some(({ text }) => /^-\w*[lr]|^--(?:rec|pag)/.test(text)))
    return false;
  const entries = args.flatMap(({ text }) => [globIn(text, "*"), globIn(text, ".*")]);
  return staysAmongFiles(args, around) && entries.every((one) => around.isInside(one));
}

function globIn(directory: string, pattern: string): ShellWord {
  const text = `${directory}/${pattern}`;
  return { ...literalWord(text), isStatic: false, isGlob: true, hasGlob: true };
}

function searches(args: readonly ShellWord[], around: Surroundings): boolean {
  // It would follow links, or come across what must not be read.
  const walks = around.hidesFiles ? /^-\w*[Rrd]|^--(?:de|di|rec)/ : /^-\w*R|^--de/;
  if (args.some(({ text }) => walks.test(text))) return false;
  const isGiven = args.some(({ text }) => /^(?:-\w*[ef]|--(?:[rf]|$))/.test(text));
  const pattern = args.findIndex(({ text }) => !text.startsWith("-"));
  const files = isGiven ? args : args.filter((_, at) => at !== pattern);
  return staysAmongFiles(files, around) && (args[pattern]?.isStatic ?? true);
}

function finds(args: readonly ShellWord[], around: Surroundings): boolean {
  if (args.some(({ text }) => /^-(?:exec|ok|delete|fprint|fls|files0|L$|follow$)/.test(text)))
    return false;
  // Start paths come before the first test; values of tests are patterns.
  const first = args.findIndex(({ text }) => /^[(!]$|^-(?!-?$|[HPDO])/.test(text));
  const starts = args.slice(0, first === -1 ? args.length : first);
  return starts.every((word) => word.text.startsWith("-") || around.isInside(word));
}

function edits(args: readonly ShellWord[], around: Surroundings): boolean {
  if (!noGlobs(args)) return false;
  const flags = args.filter(({ text }) => text.startsWith("-") && text !== "-");
  if (!flags.every(({ text }) => /^-[nErsu]+$|^--(?:quiet|silent|regexp-extended)$/.test(text)))
    return false;
  const [script, ...files] = args.filter((word) => !flags.includes(word));
  return (
    script !== undefined &&
    isHarmlessSed(script.text) &&
    files.every((file) => around.isInside(file))
  );
}

function changesTo(args: readonly ShellWord[], around: Surroundings): boolean {
  const [target, ...others] = args.filter(({ text }) => text !== "--");
  if (target === undefined || others.length > 0 || target.belowHome !== null) return false;
  return target.isStatic && !target.text.startsWith("-") && around.isInside(target);
}

/** `-v` and `-R` take a name with a subscript, which is code. */
function tests(args: readonly ShellWord[]): boolean {
  return args.every(({ isStatic, text }) => isStatic && text !== "-v" && text !== "-R");
}

/** Git itself decides what is a path; what looks like one outside is not left to it. */
function staysInside(args: readonly ShellWord[], around: Surroundings): boolean {
  return args.every(
    (word) => !/^[~/]|(?:^|\/)\.\.(?:\/|$)/.test(word.text) || around.isInside(word),
  );
}

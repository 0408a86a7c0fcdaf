import type { ShellWord } from "../../shell/shell-word.ts";
import { isReadOnlyGit } from "./read-only-git.ts";
import { isHarmlessSed } from "./sed-script.ts";

/** What a read-only command may need to know of the command line it stands in. */
export interface Surroundings {
  /** Every path that the word may stand for lies inside the working directories. */
  isInside(word: ShellWord): boolean;
  /** Some part of the command line changes to another directory. */
  readonly changesDirectory: boolean;
}

type Check = (args: readonly ShellWord[], around: Surroundings) => boolean;

/** Commands that need no approval, each with the arguments for which that holds. */
const commands: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...each("echo true false : pwd which", () => true),
  ...each("cat head tail wc ls stat du diff nl tac cmp", looksAtFiles()),
  [
    "sort",
    (args, around) => noGlobs(args) && looksAtFiles(/^-\w*[oT]|^--(?:o|co|fi|te)/)(args, around),
  ],
  ...each("cut tr basename dirname seq", (args) => args.every(({ isStatic }) => isStatic)),
  ["printf", ([format]) => format?.isStatic === true && !format.text.startsWith("-")],
  ["grep", searches],
  ["find", (args, around) => noGlobs(args) && finds(args, around)],
  ["sed", edits],
  ["cd", changesTo],
  [
    "git",
    (args, around) => !around.changesDirectory && staysInside(args, around) && isReadOnlyGit(args),
  ],
  ...each("test [", tests),
  ...each("exit return break continue shift sleep wait", (args) =>
    args.every(({ isStatic, text }) => isStatic || text === "$?"),
  ),
  ["set", (args) => args.every(({ isStatic, text }) => isStatic && harmlessOption.test(text))],
]);

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
function looksAtFiles(writing?: RegExp): Check {
  return (args, around) =>
    args.every((word) => writing?.test(word.text) !== true && isFlagOrInside(word, around));
}

function isFlagOrInside(word: ShellWord, around: Surroundings): boolean {
  // What it runs is a command of its own.
  if (word.isProcess) return true;
  if (!word.isStatic) return around.isInside(word);
  if (!word.text.startsWith("-") || word.text === "-")
    return word.text === "-" || around.isInside(word);
  const value = /^-(?:-[\w-]+=|[A-Za-z])(.*)$/s.exec(word.text)?.[1] ?? "";
  return !/^[~/]|\.\./.test(value);
}

function searches(args: readonly ShellWord[], around: Surroundings): boolean {
  const isGiven = args.some(({ text }) => /^(?:-\w*[ef]|--(?:regexp|file)(?:=.*)?)$/.test(text));
  const pattern = args.findIndex(({ text }) => !text.startsWith("-"));
  const files = isGiven ? args : args.filter((_, at) => at !== pattern);
  return files.every((word) => isFlagOrInside(word, around)) && (args[pattern]?.isStatic ?? true);
}

function finds(args: readonly ShellWord[], around: Surroundings): boolean {
  if (args.some(({ text }) => /^-(?:exec|ok|delete|fprint|fls|files0)/.test(text))) return false;
  // Start paths come before the first test; values of tests are patterns.
  const first = args.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-[HLPDO]/.test(text));
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

import type { ShellWord } from "../../shell/shell-word.ts";
import { onlyFinds } from "./find.ts";
import { gitLooks } from "./git.ts";
import { isInTable, type Sight } from "./programs.ts";
import { tableLooks } from "./table-looks.ts";

type LookCheck = (args: readonly ShellWord[], sight: Sight) => boolean;

/** Commands whose arguments are no list of options and operands. */
const others: ReadonlyMap<string, LookCheck> = new Map<string, LookCheck>([
  ["echo", prints],
  ["printf", prints],
  [":", prints],
  ["find", onlyFinds],
  ["git", gitLooks],
  ["cd", changesTo],
  ["command", ([flag, ...names]) => isOneOf(flag, ["-v", "-V"]) && names.every(isPlain)],
  ["test", tests],
  ["[", (args, sight) => tests(args.slice(0, -1), sight)],
  // The grammar knows the rest of it.
  ["set", () => true],
  ...["exit", "return", "break", "continue", "shift", "sleep", "wait"].map(
    (name): [string, LookCheck] => [name, (args) => args.every(isNumber)],
  ),
  ["node", ([flag, ...rest]) => rest.length === 0 && isOneOf(flag, ["-v", "--version"])],
  ...["python", "python3"].map((name): [string, LookCheck] => [
    name,
    ([flag, ...rest]) => rest.length === 0 && isOneOf(flag, ["-V", "--version"]),
  ]),
]);

/** Whether a command, without its wrappers, only looks, and only at what may be looked at. */
export function onlyLooks([name, ...args]: readonly ShellWord[], sight: Sight): boolean {
  if (name?.isStatic !== true) return false;
  // A program of the system by its path; `/usr/bin/test` and the like are not the builtins that the grammar knows.
  const program = name.text.replace(/^(?:\/usr)?\/bin\/(?!test$|\[$|printf$|echo$)/, "");
  return others.get(program)?.(args, sight) ?? tableLooks(program, args, sight) === true;
}

/** Whether a program only looks with some arguments. */
export function isOftenLooking(name: string): boolean {
  return name === "find" || name === "git" || name === "cd" || isInTable(name);
}

/** Texts, and the names that a glob finds. */
function prints(args: readonly ShellWord[], sight: Sight): boolean {
  return args.every((word) => (word.hasGlob ? sight.isInside(word) : !sight.mayFind(word)));
}

function changesTo(args: readonly ShellWord[], sight: Sight): boolean {
  const [target, ...rest] = args.filter(({ text }) => text !== "--");
  if (target === undefined || rest.length > 0 || target.belowHome !== null) return false;
  return target.isStatic && !target.text.startsWith("-") && sight.isInside(target);
}

/** Tests of files are about paths; the grammar knows the operators. */
function tests(args: readonly ShellWord[], sight: Sight): boolean {
  const rest = args[0]?.text === "!" ? args.slice(1) : args;
  const [first, operator, last] = rest;
  if (rest.length === 2 && first !== undefined && operator !== undefined) {
    return /^-[nz]$/.test(first.text) || sight.isInside(operator);
  }
  if (first === undefined || last === undefined) return true;
  const comparesFiles = /^-(?:nt|ot|ef)$/.test(operator?.text ?? "");
  return !comparesFiles || (sight.isInside(first) && sight.isInside(last));
}

function isOneOf(word: ShellWord | undefined, texts: readonly string[]): boolean {
  return word?.isStatic === true && texts.includes(word.text);
}

function isPlain({ isStatic }: ShellWord): boolean {
  return isStatic;
}

function isNumber({ isStatic, text }: ShellWord): boolean {
  return text === "$?" || (isStatic && /^(?:-?\d[\d.]*[smhd]?|%[\d+-]*)$/.test(text));
}

const filters =
  /^(?:cat|head|tail|sort|uniq|wc|cut|tr|sed|jq|[ef]?grep|echo|printf|true|false|sleep|date)$/;

/** Whether a command looks at what it is given alone: without a path, where it runs means nothing to it. */
export function isFilter([name, ...args]: readonly ShellWord[]): boolean {
  if (name?.isStatic !== true || !filters.test(name.text)) return false;
  return !name.text.endsWith("grep") || !args.some(({ text }) => /^-\w*[dr]|^--[dr]/i.test(text));
}

import { literalWord, type ShellWord } from "../shell/shell-word.ts";
import type { Ground } from "../ground.ts";
import { holdsRepository } from "./files/holds-repository.ts";
import { optionTable, parseArguments } from "./look/arguments.ts";
import { isHarmlessSed } from "./look/sed-script.ts";
import type { WordPaths } from "./files/word-paths.ts";

/** The place that accepted edits may change. */
export interface EditPlace {
  readonly mayWrite: (word: ShellWord) => boolean;
  readonly pathsOf: WordPaths;
  readonly ground: Ground;
  /** The files that a copy writes; `null`: that cannot be told. */
  readonly copiedFiles: (sources: readonly string[], target: string) => readonly string[] | null;
}

type EditCheck = (args: readonly ShellWord[], place: EditPlace) => boolean;

const commands: ReadonlyMap<string, EditCheck> = new Map<string, EditCheck>([
  ["mkdir", changes("-pv -m: --parents --verbose --mode=")],
  ["touch", changes("-acm -d~ -t: -r@ --no-create --date=~ --reference=@")],
  ["rm", removes],
  ["rmdir", changes("-pv --parents --verbose --ignore-fail-on-non-empty")],
  ["cp", copies(/^-[afinpRruvT]+$|^--(?:archive|force|no-clobber|recursive|update|verbose)$/)],
  ["mv", copies(/^-[finuvT]+$|^--(?:force|no-clobber|update|verbose)$/)],
  ["sed", rewrites],
]);

/** Whether a command only changes files that edits may change, with every path known. */
export function isAcceptedEdit([name, ...args]: readonly ShellWord[], place: EditPlace): boolean {
  if (name?.isStatic !== true || !args.every(({ isStatic }) => isStatic)) return false;
  return commands.get(name.text)?.(args, place) === true;
}

/** Whether an accepted edit moves, removes or copies directories, in which other commands may stand or write. */
export function movesDirectories([name, ...args]: readonly ShellWord[]): boolean {
  if (name?.text === "mv" || name?.text === "rmdir") return true;
  if (name?.text === "cp") return args.some(({ text }) => /^-[^-]*[aRr]|^--(?:rec|ar)/.test(text));
  return name?.text === "rm" && args.some(({ text }) => /^-[^-]*[dRr]|^--(?:r|d)/.test(text));
}

/** Only with flags that are known. Their values count as paths, because some are. */
function changes(manual: string): EditCheck {
  const table = optionTable(manual);
  return (args, { mayWrite }) => {
    const given = parseArguments(table, args);
    if (given === null) return false;
    const values = given.options.flatMap(({ name, value }) =>
      value !== null && !table.texts.has(name) ? [value] : [],
    );
    return [...given.operands, ...values].every(mayWrite);
  };
}

const removal = changes("-dfirRv --force --recursive --dir --verbose --one-file-system");

/** Like other changes, but for a directory with a repository of its own: what it holds may be nowhere else. */
function removes(args: readonly ShellWord[], place: EditPlace): boolean {
  if (!removal(args, place)) return false;
  const { pathsOf, ground } = place;
  if (!movesDirectories([literalWord("rm"), ...args])) return true;
  const operands = args.filter(({ text }) => !text.startsWith("-"));
  return !operands
    .flatMap((word) => pathsOf(word) ?? [])
    .some((path) => holdsRepository(path, ground));
}

/** Only with flags that are known: others copy what links lead to, or make links. */
function copies(flags: RegExp): EditCheck {
  return (args, { mayWrite, pathsOf, copiedFiles }) => {
    const target = targetOf(args);
    const others = args.filter((word) => word !== target?.flag && word !== target?.word);
    const sources = others.filter(({ text }) => !flags.test(text));
    if (target === null || sources.some(({ text }) => text.startsWith("-"))) return false;
    if (![...sources, target.word].every(mayWrite)) return false;
    const from = sources.flatMap((word) => pathsOf(word) ?? []);
    return (pathsOf(target.word) ?? []).every((to) =>
      copiedFiles(from, to)?.every((path) => mayWrite(literalWord(path))),
    );
  };
}

/** The last word, or what `-t` names. */
function targetOf(args: readonly ShellWord[]): { word: ShellWord; flag?: ShellWord } | null {
  const flag = args.find(({ text }) => /^(?:-t|--target-directory(?:=.*)?)$/s.test(text));
  if (flag === undefined) {
    const word = args.at(-1);
    return word === undefined || word.text.startsWith("-") ? null : { word };
  }
  const [, value] = /=(.*)$/s.exec(flag.text) ?? [];
  const word = value === undefined ? args[args.indexOf(flag) + 1] : literalWord(value);
  return word === undefined ? null : { word, flag };
}

function rewrites(args: readonly ShellWord[], { mayWrite }: EditPlace): boolean {
  const flags = args.filter(({ text }) => text.startsWith("-") && text !== "-");
  // A suffix for copies may lead elsewhere.
  const areKnown = flags.every(({ text }) =>
    /^-[nErsu]*i?$|^--(?:quiet|silent|regexp-extended|in-place)$/.test(text),
  );
  const [script, ...files] = args.filter((word) => !flags.includes(word));
  // On some systems `-i` takes the next word.
  if (process.platform !== "linux" && flags.some(({ text }) => /i/.test(text))) return false;
  return areKnown && script !== undefined && isHarmlessSed(script.text) && files.every(mayWrite);
}

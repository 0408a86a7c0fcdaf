import type { ShellWord } from "../../shell/shell-word.ts";
import { parseArguments, type Arguments } from "./arguments.ts";
import { lookProgram, type LookProgram, type Sight } from "./programs.ts";

/** Whether a program is in the table, with options that are all known. */
export function isLook(name: string, args: readonly ShellWord[]): boolean {
  const known = lookProgram(name);
  const given = known === undefined ? null : parseArguments(known.options, args);
  if (known === undefined || given === null) return false;
  // Their scripts are programs of their own.
  return (name !== "sed" && name !== "jq") || known.check(given, nowhere);
}

/** For conditions that are about a script alone. */
const nowhere: Sight = {
  isInside: () => false,
  entriesInside: () => false,
  mayFind: () => true,
  changesDirectory: true,
  distrustsGit: true,
};

/** Whether a program of the table only looks, at what may be looked at. `null`: it is not in the table. */
export function tableLooks(name: string, args: readonly ShellWord[], sight: Sight): boolean | null {
  const known = lookProgram(name);
  if (known === undefined) return null;
  const given = parseArguments(known.options, args);
  if (given === null) return false;
  const { options, operands, suspects } = given;
  const inOptions = options.flatMap(({ name: option, value }) =>
    value !== null && known.options.paths.has(option) ? [value] : [],
  );
  const paths = pathsAmong(operands, known, given);
  if (paths === null) return false;
  // Until bash looks it up, a name may come that is an option.
  if (!plainPrograms.has(name) && !args.some(isDashes) && operands.some(mayBecomeOption))
    return false;
  // Elsewhere a search through directories follows links.
  const walks = options.some(({ name: option }) =>
    /^(?:-r|-d|--recursive|--directories)$/.test(option),
  );
  if (walks && process.platform !== "linux" && name.endsWith("grep")) return false;
  const areInside = [...paths, ...inOptions, ...suspects].every(
    (word) => (word.isStatic && word.text === "-") || sight.isInside(word),
  );
  return areInside && known.check(given, sight);
}

/** Programs none of whose options run a program or write a file. */
const plainPrograms: ReadonlySet<string> = new Set(
  "cat tac head tail ls wc nl stat du cut fold rev md5sum sha1sum sha256sum readlink realpath basename dirname cmp comm paste grep egrep fgrep".split(
    " ",
  ),
);

export function isPlainProgram(name: string): boolean {
  return plainPrograms.has(name);
}

const isDashes = ({ isStatic, text }: ShellWord): boolean => isStatic && text === "--";

/** A glob at the beginning of a word finds names that begin with a dash, too. */
function mayBecomeOption({ pattern, belowHome }: ShellWord): boolean {
  return belowHome === null && pattern !== null && /^[*?]/.test(pattern);
}

/** `null`: an operand that must be known is not. */
function pathsAmong(
  operands: readonly ShellWord[],
  { operands: kind, givesPattern }: LookProgram,
  { options, mixes, suspects }: Arguments,
): readonly ShellWord[] | null {
  switch (kind) {
    case "paths":
      return operands;
    case "one-path":
      return operands.length > 1 || mixes ? null : operands;
    case "pattern": {
      // Elsewhere some options take no value that take one here.
      const isElsewhere = process.platform !== "linux" && suspects.length > 0;
      if (isElsewhere || options.some(({ name }) => givesPattern.has(name))) return operands;
      // Unquoted, it may be no word at all, and the file behind it the pattern.
      return operands[0]?.canSplit === true ? null : operands.slice(1);
    }
    case "texts":
      // File names that come out of a glob are a look at the directory.
      return operands.filter(({ isGlob, canSplit }) => isGlob || canSplit);
    case "none":
      return operands.length > 0 ? null : [];
  }
}

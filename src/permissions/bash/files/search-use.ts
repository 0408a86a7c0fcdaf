import { literalWord, type ShellWord } from "../../shell/shell-word.ts";
import type { FileUse } from "./use.ts";
import { parseArguments } from "../look/arguments.ts";
import { lookProgram } from "../look/programs.ts";

/** Flags with which `grep` walks directories, and with which a search follows links. */
const walking = new Set(["-r", "-R", "-d", "--recursive", "--directories"]);

/** The files of `grep` and `rg`, by the table of their options. With one that is not in it, they may read anything. */
export function usesOfSearch(name: string, args: readonly ShellWord[]): FileUse {
  const table = lookProgram(name);
  const given = table === undefined ? null : parseArguments(table.options, args);
  if (table === undefined || given === null)
    return { reads: args.filter(({ text }) => !text.startsWith("-")), writes: [], walks: null };
  const { options, operands } = given;
  const isGiven = options.some(({ name: option }) => table.givesPattern.has(option));
  // Without quotes, the pattern may be several words, or none.
  const files = isGiven || operands[0]?.canSplit === true ? operands : operands.slice(1);
  const values = options.flatMap(({ name: option, value }) =>
    value !== null && table.options.paths.has(option) ? [value] : [],
  );
  const walks = name === "rg" || options.some(({ name: option }) => walking.has(option));
  const below = files.length > 0 ? files : [literalWord(".")];
  return { reads: [...files, ...values], writes: [], walks: walks ? below : [] };
}

import type { OpenPiece, ShellWord } from "../shell/shell-word.ts";
import { setters } from "./files/spelled-out.ts";
import type { Reach } from "./evaluated.ts";

/** Stands for any text in a shape. */
export const open = "\0";

/** Variables that bash fills with numbers, and those that hold a directory. */
const numbers = /^(?:RANDOM|SECONDS|LINENO|PPID|UID|EUID)$/;
const directories = /^(?:PWD|OLDPWD|HOME)$/;

/** Commands that print a number, a date or a hash, and those that print a directory. */
const printsNumber =
  /^(?:nproc|date|date \+(["']?)(?:%[YmdHMSsFTyj]|[\d:_.-])+\1|id -[ug]|git rev-parse (?:--short(?:=\d+)? )?HEAD)$/;
const printsDirectory = /^(?:pwd|git rev-parse --show-toplevel)$/;

/** The text of a word with a sign in place of what only running tells. */
export function shapeOf(
  { pieces, opens, hasGlob, text }: ShellWord,
  { runs }: Pick<Reach, "runs">,
): string {
  if (hasGlob) return pieces.map((piece) => piece ?? open).join("");
  const commands = runs.map(({ command }) => command);
  const isSet = (name: string): boolean =>
    commands.some(
      ({ words, assignments }) =>
        assignments.some((one) => one.name === name) || words.some((one) => setters.test(one.text)),
    );
  const outputs = [...text.matchAll(/\$\(([^()]*)\)/g)].map(([, inner = ""]) => inner.trim());
  const isAligned = outputs.length === opens.filter(({ name }) => name === null).length;
  const known = ({ name }: OpenPiece): string => {
    const printed = name === null ? outputs.shift() : undefined;
    if (isAligned && printed !== undefined) {
      if (printsNumber.test(printed)) return "0";
      return printsDirectory.test(printed) ? directory : open;
    }
    if (name === null || isSet(name)) return open;
    if (numbers.test(name)) return "0";
    return directories.test(name) ? directory : open;
  };
  let at = 0;
  return pieces
    .map((piece) => {
      const [next] = piece === null ? opens.slice(at, ++at) : [];
      return piece ?? (next === undefined ? open : known(next));
    })
    .join("");
}

/** Stands for the path of a directory, which is no name of a program. */
const directory = "/-";

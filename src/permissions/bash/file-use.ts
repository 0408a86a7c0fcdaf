import { basename } from "node:path";
import { literalWord, type ShellWord } from "../../shell/shell-word.ts";
import type { Form } from "./forms.ts";

/** Which arguments of a command are files that it reads, and which ones it writes. */
export interface FileUse {
  readonly reads: readonly ShellWord[];
  readonly writes: readonly ShellWord[];
  /** Directories whose files it shows, however deep; `null`: it may show any file. */
  readonly walks: readonly ShellWord[] | null;
}

const nothing: FileUse = { reads: [], writes: [], walks: [] };

/** All arguments are files to read. */
const readers = words(
  "cat tac head tail less more most bat view wc diff cmp comm sort uniq cut paste join nl od xxd hexdump base32 base64 strings file fold fmt column pr rev split csplit md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum stat ls du find tree readlink realpath vim vi nvim nano emacs ed ex tar zip unzip gzip gunzip zcat bzip2 bzcat xz xzcat zstd curl wget scp rsync ssh-keygen openssl gpg install mail sendmail nc ncat socat",
);

/** Programs that run a file or text. What they are given besides is data, and counts as a file only where it is known. */
const interpreters = words(
  "source . bash sh dash zsh ksh python python3 node perl ruby php exec test [",
);

/** The first argument that is no flag is a pattern or program, unless a flag gives it; the others are files. */
const searchers = words("grep egrep fgrep rg ag ack sed gsed awk gawk mawk nawk jq yq xmllint");

/** All arguments are files to write. */
const writers = words(
  "mkdir touch rm rmdir unlink shred truncate tee chmod chown chgrp mkfifo mknod patch",
);

/** The last argument is written, or where `-t` says; the others are read. */
const copiers = words("cp install scp rsync mv ln");

/** Programs that show the files of a directory they are given, each with the flags for which they do. */
const walkers: ReadonlyMap<string, RegExp> = new Map([
  ...["grep", "egrep", "fgrep"].map((name): [string, RegExp] => [
    name,
    /^-\w*[rRd]|^--(?:de|di|rec)/,
  ]),
  ...["rg", "ag", "ack", "tar", "zip", "rsync"].map((name): [string, RegExp] => [name, /(?:)/]),
  ["diff", /^-\w*[rN]|^--(?:rec|new)/],
  ["cp", /^-\w*[rRa]|^--(?:rec|ar)/],
  ["scp", /^-\w*r/],
]);

/** Flags with which a walker follows links, which lead anywhere. */
const following = /^-\w*[RLh]|^--(?:de|fo)/;

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

export function fileUse({ words: [name, ...args] }: Pick<Form, "words">): FileUse {
  if (name?.isStatic !== true) return nothing;
  const operands = operandsOf(args);
  const used = usesOf(name.text, args, operands);
  const flags = walkers.get(name.text);
  if (flags === undefined || used.walks === null) return used;
  const texts = args.map(({ text }) => text);
  if (!flags.test("") && !texts.some((text) => flags.test(text))) return used;
  // The pattern of a search may be a file too, if nothing else is given.
  const from = used.reads.length > 0 ? used.reads : [literalWord(".")];
  return { ...used, walks: texts.some((text) => following.test(text)) ? null : from };
}

function usesOf(name: string, args: readonly ShellWord[], operands: readonly ShellWord[]): FileUse {
  if (name === "dd") return usesOfDd(args);
  if (name === "git") return usesOfGit(args, operands);
  if (copiers.has(name)) return usesOfCopier(name, args, operands);
  if (writers.has(name)) return { ...nothing, writes: operands };
  if (searchers.has(name)) return usesOfSearcher(name, args, operands);
  if (interpreters.has(name)) return { ...nothing, reads: operands.filter(isKnown) };
  return readers.has(name) ? { ...nothing, reads: operands } : nothing;
}

/** Words that are no flags, and the values that flags carry: `--file=x`, `-tx`, `@x`. */
function operandsOf(args: readonly ShellWord[]): ShellWord[] {
  return args.flatMap((word) => {
    if (!word.isStatic) return [word];
    const value = /^(?:--?[\w-]+=|-[A-Za-z](?=[/~.])|@)(.+)$/s.exec(word.text)?.[1];
    if (value !== undefined) return [literalWord(value)];
    return word.text.startsWith("-") && word.text !== "-" ? [] : [word];
  });
}

function usesOfSearcher(
  name: string,
  args: readonly ShellWord[],
  operands: readonly ShellWord[],
): FileUse {
  const isGiven = args.some(({ text }) =>
    /^(?:-\w*[ef]|--(?:regexp|file|expression|$))/.test(text),
  );
  const files = isGiven ? operands : operands.slice(1);
  const inPlace =
    name.endsWith("sed") && args.some(({ text }) => /^(?:-\w*i|--in-place)/.test(text));
  return { ...nothing, reads: files, writes: inPlace ? files : [] };
}

/** A moved file is written too. In a directory, the files get the names that they had. */
function usesOfCopier(
  name: string,
  args: readonly ShellWord[],
  operands: readonly ShellWord[],
): FileUse {
  const flag = args.find(({ text }) => /^-\w*t|^--t/.test(text));
  const named = flag === undefined ? operands.at(-1) : targetOf(flag, args);
  const sources = flag === undefined ? operands.slice(0, -1) : operands;
  const targets = named === undefined ? [] : [named, ...sources.map((one) => inside(named, one))];
  // With a flag for the target everything may be it: flags can be written in many ways.
  const isLeft = name !== "mv" && name !== "ln" && flag === undefined;
  return { ...nothing, reads: sources, writes: isLeft ? targets : [...targets, ...sources] };
}

function targetOf(flag: ShellWord, args: readonly ShellWord[]): ShellWord | undefined {
  const value = /^(?:-\w*?t|--t[\w-]*=)(.+)$/s.exec(flag.text)?.[1];
  return value === undefined ? args[args.indexOf(flag) + 1] : literalWord(value);
}

function inside(directory: ShellWord, file: ShellWord): ShellWord {
  if (!directory.isStatic || !file.isStatic) return directory;
  const name = basename(file.text);
  const belowHome = directory.belowHome === null ? null : `${directory.belowHome}/${name}`;
  return { ...literalWord(`${directory.text}/${name}`), belowHome };
}

/** Commands of git that show what is in files, of now or of earlier, each with the flags for which they do. */
const showing: ReadonlyMap<string, RegExp> = new Map([
  ["log", /^-\w*[pucmLU]|^--(?:p(?!retty)|cc|unified|word|color-|function|full-diff|remerge)/],
  ["reflog", /^-\w*[pucmLU]|^--(?:p(?!retty)|cc|unified)/],
  ["stash", /^(?:show|-p|--patch)$/],
  ...[
    "diff show grep cat-file archive format-patch diff-tree diff-index diff-files whatchanged range-diff fast-export bundle difftool",
  ]
    .join(" ")
    .split(" ")
    .map((name): [string, RegExp] => [name, /(?:)/]),
]);

/** Flags with which they show names and numbers alone. */
const onlyNames =
  /^(?:--stat(?:=.*)?|--numstat|--shortstat|--name-only|--name-status|--summary|--no-patch|-s|--quiet)$/;

/** Operands after the name of the command; `revision:path` is a path too. */
function usesOfGit(args: readonly ShellWord[], operands: readonly ShellWord[]): FileUse {
  const [command, ...rest] = operands;
  const named = rest.filter(isKnown);
  const paths = named.filter(({ text }) => text.includes(":"));
  const behind = paths.map(({ text }) => literalWord(text.slice(text.lastIndexOf(":") + 1)));
  const texts = args.map(({ text }) => text);
  const flags = command?.isStatic === true ? showing.get(command.text) : /(?:)/;
  const shows =
    flags !== undefined &&
    (flags.test("") || texts.some((text) => flags.test(text))) &&
    !(
      texts.some((text) => onlyNames.test(text)) &&
      !texts.some((text) => /^-\w*[pu]|^--patch/.test(text))
    );
  return { reads: [...named, ...behind], writes: [], walks: shows ? null : [] };
}

function isKnown({ isStatic, isGlob, belowHome }: ShellWord): boolean {
  return isStatic || isGlob || belowHome !== null;
}

function usesOfDd(args: readonly ShellWord[]): FileUse {
  const values = (key: string): ShellWord[] =>
    args
      .filter(({ text }) => text.startsWith(key))
      .map((word) => (word.isStatic ? literalWord(word.text.slice(key.length)) : word));
  return { ...nothing, reads: values("if="), writes: values("of=") };
}

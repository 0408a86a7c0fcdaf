import { basename } from "node:path";
import { literalWord, type ShellWord } from "../../shell/shell-word.ts";
import type { Form } from "./forms.ts";

/** Which arguments of a command are files that it reads, and which ones it writes. */
export interface FileUse {
  readonly reads: readonly ShellWord[];
  readonly writes: readonly ShellWord[];
}

const nothing: FileUse = { reads: [], writes: [] };

/** All arguments are files to read. */
const readers = words(
  "cat tac head tail less more most bat view wc diff cmp comm sort uniq cut paste join nl od xxd hexdump base32 base64 strings file fold fmt column pr rev split csplit md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum stat ls du find tree readlink realpath source . bash sh dash zsh ksh python python3 node perl ruby php vim vi nvim nano emacs ed ex tar zip unzip gzip gunzip zcat bzip2 bzcat xz xzcat zstd curl wget scp rsync ssh-keygen openssl gpg install mail sendmail nc ncat socat exec test [",
);

/** The first argument that is no flag is a pattern or program, unless a flag gives it; the others are files. */
const searchers = words("grep egrep fgrep rg ag ack sed gsed awk gawk mawk nawk jq yq xmllint");

/** All arguments are files to write. */
const writers = words(
  "mkdir touch rm rmdir unlink shred truncate tee chmod chown chgrp mkfifo mknod patch",
);

/** The last argument is written, or where `-t` says; the others are read. */
const copiers = words("cp install scp rsync mv ln");

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

export function fileUse({ words: [name, ...args] }: Pick<Form, "words">): FileUse {
  if (name?.isStatic !== true) return nothing;
  const operands = operandsOf(args);
  if (name.text === "dd") return usesOfDd(args);
  if (name.text === "git") return usesOfGit(operands);
  if (copiers.has(name.text)) return usesOfCopier(name.text, args, operands);
  if (writers.has(name.text)) return { reads: [], writes: operands };
  if (searchers.has(name.text)) return usesOfSearcher(name.text, args, operands);
  return readers.has(name.text) ? { reads: operands, writes: [] } : nothing;
}

/** What is not a flag, and the values that flags carry: `--file=x`, `-tx`, `@x`. */
function operandsOf(args: readonly ShellWord[]): ShellWord[] {
  return args.flatMap((word) => {
    if (!word.isStatic) return [word];
    const value = /^(?:--?[\w-]+=|-[A-Za-z](?=[/~.])|@)(.+)$/s.exec(word.text)?.[1];
    if (value !== undefined) return [{ ...word, text: value, pieces: [value] }];
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
  return inPlace ? { reads: files, writes: files } : { reads: files, writes: [] };
}

/** What is moved is written too. In a directory, the files get the names that they had. */
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
  return { reads: sources, writes: isLeft ? targets : [...targets, ...sources] };
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

/** Operands after the name of the command; `revision:path` is a path too. */
function usesOfGit([, ...operands]: readonly ShellWord[]): FileUse {
  const paths = operands.filter(({ text }) => text.includes(":"));
  const behind = paths.map(({ text }) => literalWord(text.slice(text.lastIndexOf(":") + 1)));
  return { reads: [...operands, ...behind], writes: [] };
}

function usesOfDd(args: readonly ShellWord[]): FileUse {
  const values = (key: string): ShellWord[] =>
    args
      .filter(({ text }) => text.startsWith(key))
      .map((word) => ({
        ...word,
        text: word.text.slice(key.length),
        pieces: [word.text.slice(key.length)],
      }));
  return { reads: values("if="), writes: values("of=") };
}

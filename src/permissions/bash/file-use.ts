import type { ShellWord } from "../../shell/shell-word.ts";
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
  "mkdir touch rm rmdir unlink shred truncate tee mv chmod chown chgrp ln mkfifo mknod patch",
);

/** The last argument is written, or where `-t` says; the others are read. */
const copiers = words("cp install scp rsync");

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

export function fileUse({ words: [name, ...args] }: Pick<Form, "words">): FileUse {
  if (name?.isStatic !== true) return nothing;
  const operands = operandsOf(args);
  if (name.text === "dd") return usesOfDd(args);
  if (copiers.has(name.text)) return usesOfCopier(args, operands);
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
    /^(?:-\w*[ef]|--(?:regexp|file|expression)(?:=.*)?)$/.test(text),
  );
  const files = isGiven ? operands : operands.slice(1);
  const inPlace =
    name.endsWith("sed") && args.some(({ text }) => /^(?:-\w*i|--in-place)/.test(text));
  return inPlace ? { reads: files, writes: files } : { reads: files, writes: [] };
}

function usesOfCopier(args: readonly ShellWord[], operands: readonly ShellWord[]): FileUse {
  const flag = args.findIndex(({ text }) => /^(?:-\w*t|--target-directory)$/.test(text));
  const attached = args.findIndex(({ text }) => /^(?:-t.|--target-directory=)/.test(text));
  const isNamed = flag !== -1 || attached !== -1;
  // Where the target stands is not worth guessing at: with `-t` everything may be it.
  if (isNamed) return { reads: operands, writes: operands };
  return { reads: operands.slice(0, -1), writes: operands.slice(-1) };
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

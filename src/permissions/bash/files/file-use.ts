import { basename } from "node:path";
import { literalWord, unknownWords, type ShellWord } from "../../shell/shell-word.ts";
import type { Form } from "../forms.ts";
import { isKnownPath, nothing, type FileUse } from "./use.ts";
import { usesOfGit } from "../git/git-use.ts";
import { isInTable } from "../look/programs.ts";
import { isLook } from "../look/table-looks.ts";
import { readsByList } from "./list-readers.ts";
import { usesOfNameMaker, withSuffix } from "./made-names.ts";
import { operandsOf } from "./operands.ts";
import { usesOfSearch } from "./search-use.ts";

/** All arguments are files to read. */
const readers = words(
  "cat tac head tail less more most bat view wc diff cmp comm sort uniq cut paste join nl od xxd hexdump base32 base64 strings file fold fmt column pr rev split csplit md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum stat ls du df find tree readlink realpath vim vi nvim nano emacs ed ex tar bsdtar zip 7z 7za 7zz jar pax unzip gzip gunzip zcat bzip2 bzcat xz xzcat zstd curl wget scp rsync ssh-keygen openssl gpg install mail sendmail nc ncat socat",
);

/** Programs that run a file or text. What they are given besides is data, and counts as a file only where it is known. */
const interpreters = words(
  "source . bash sh dash zsh ksh python python3 node perl ruby php exec test [",
);

/** The first argument that is no flag is a pattern or program, unless a flag gives it; the others are files. */
const searchers = words(
  "rgrep zgrep grep egrep fgrep rg ag ack sed gsed awk gawk mawk nawk jq yq xmllint",
);

/** All arguments are files to write. */
const writers = words(
  "mkdir touch rm rmdir unlink shred truncate tee chmod chown chgrp mkfifo mknod patch",
);

/** The last argument is written, or where `-t` says; the others are read. */
const copiers = words("cp install scp rsync mv ln");

/** Options with which `cp` takes directories. */
const recursive = /^-\w*[rRa]|^--(?:rec|ar)/;

/** Programs that show the files of a directory they are given, each with the flags for which they do. */
const walkers: ReadonlyMap<string, RegExp> = new Map([
  ...["ag", "ack", "tar", "bsdtar", "zip", "7z", "7za", "7zz", "jar", "pax", "rsync", "rgrep"].map(
    (name): [string, RegExp] => [name, /(?:)/],
  ),
  ["diff", /(?:)/],
  ...["gzip", "gunzip", "zstd", "xz", "bzip2", "zgrep"].map((name): [string, RegExp] => [
    name,
    /^-\w*r|^--rec/,
  ]),
  ["cp", recursive],
  ["scp", /^-\w*r/],
]);

/** Flags with which a walker follows links, which lead anywhere. */
const following = /^-\w*[RLh]|^--(?:de|fo)/;

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

export function fileUse({ words: [name, ...args] }: Pick<Form, "words">): FileUse {
  if (name?.isStatic !== true) return nothing;
  const program = name.text.replace(gnuName, "$1");
  const operands = operandsOf(args);
  const found = withOutputs(usesOf(program, args, operands), program, args);
  const used = readsByList(program, args) ? { ...found, walks: null } : found;
  const flags = walkers.get(program);
  if (flags === undefined || used.walks === null) return used;
  const texts = args.map(({ text }) => text);
  if (!flags.test("") && !texts.some((text) => flags.test(text))) return used;
  const isUnknown =
    program === "ag" || program === "ack" || texts.some((text) => following.test(text));
  return { ...used, walks: isUnknown ? null : used.reads };
}

/** Programs of GNU beside those of another system: `gsed`. */
const gnuName =
  /^g((?:[ef]?grep|sed|awk|tar|find|cp|mv|rm|ln|dd|cat|tac|head|tail|sort|uniq|cut|tee|split|csplit|install|touch|truncate|chmod|chown|mkdir|rmdir|ls|wc|od|paste|join|comm|nl|base64|stat|du|readlink|realpath))$/;

/** Files that options name for output, whatever the program is: `-o x`, `-ox`, `--output=x`. */
function withOutputs(used: FileUse, name: string, args: readonly ShellWord[]): FileUse {
  if (name === "uniq") return { ...used, writes: operandsOf(args).slice(1) };
  if (isLook(name, args)) return used;
  const written = args.flatMap((word, at): ShellWord[] => {
    const [, attached] = /^(?:-[A-Za-z]*[oO]|--output(?:-[\w-]+)?=)(.+)$/s.exec(word.text) ?? [];
    if (attached !== undefined) return [word.isStatic ? literalWord(attached) : word];
    const next = args[at + 1];
    const takesFile =
      /^(?:-[A-Za-z]*[oO]|-[CP]|--(?:output|output-document|directory|directory-prefix))$/;
    return takesFile.test(word.text) && next !== undefined ? [next] : [];
  });
  // With an option that is not in its table, a program may read anything.
  const walks = isInTable(name) ? null : used.walks;
  return { ...used, walks, writes: [...used.writes, ...written] };
}

function usesOf(name: string, args: readonly ShellWord[], operands: readonly ShellWord[]): FileUse {
  if (name === "dd") return usesOfDd(args);
  const made = usesOfNameMaker(name, args, operands);
  if (made !== null) return made;
  if (name === "find" && args.some(({ text }) => /^-(?:delete|fprint|fls)/.test(text)))
    return { ...nothing, reads: operands, writes: [unknownWords] };
  if (name === "git") return usesOfGit(args);
  if (/^(?:[ef]?grep|rg)$/.test(name)) return usesOfSearch(name, args);
  if (/^(?:pax|cpio)$/.test(name) && args.some(({ text }) => /^-\w*l|^--l/.test(text)))
    return { ...nothing, reads: operands, walks: null, writesAnywhere: true };
  if (copiers.has(name)) return usesOfCopier(name, args, operands);
  if (/^(?:rm|rmdir|trash)$/.test(name)) return { ...nothing, writes: operands, whole: operands };
  if (writers.has(name)) return { ...nothing, writes: operands };
  if (searchers.has(name)) return usesOfSearcher(name, args, operands);
  if (interpreters.has(name)) return { ...nothing, reads: operands.filter(isKnownPath) };
  return readers.has(name) ? { ...nothing, reads: operands } : nothing;
}

function usesOfSearcher(
  name: string,
  args: readonly ShellWord[],
  operands: readonly ShellWord[],
): FileUse {
  const isGiven = args.some(({ text }) => /^(?:-\w*[ef]|--(?:[ref]|$))/.test(text));
  const files = isGiven || operands[0]?.canSplit === true ? operands : operands.slice(1);
  if (!name.endsWith("sed")) return { ...nothing, reads: files };
  const inPlace = args.filter(({ text }) => /^(?:-\w*i|--in-place)/.test(text));
  // A star in the suffix is the name of the file.
  const backups = inPlace.flatMap(({ text }) => {
    const suffix = /^(?:-\w*?i|--in-place=)(.+)$/s.exec(text)?.[1];
    if (suffix === undefined) return [];
    const isPlain = !suffix.includes("*") && files.every(({ isStatic }) => isStatic);
    return isPlain ? files.map((file) => withSuffix(file, suffix)) : [unknownWords];
  });
  const writes = [...(inPlace.length > 0 ? files : []), ...backups];
  return { ...nothing, reads: files, writes };
}

/** A moved file is written too. In a directory, the files get the names that they had. */
function usesOfCopier(
  name: string,
  args: readonly ShellWord[],
  operands: readonly ShellWord[],
): FileUse {
  const isNetwork = /^(?:scp|rsync)$/.test(name);
  const flag = isNetwork ? undefined : args.find(({ text }) => /^-\w*t|^--t/.test(text));
  const named = flag === undefined ? operands.at(-1) : targetOf(flag, args);
  const others = flag === undefined ? operands.slice(0, -1) : operands;
  const sources = flag !== undefined && isPlainCopy(args) ? without(named, others) : others;
  const targets = named === undefined ? [] : [named, ...sources.map((one) => inside(named, one))];
  // With a flag for the target everything may be it: flags can be written in many ways.
  const links = args.some(({ text }) => linking.get(name)?.test(text) === true);
  const isLeft = name !== "mv" && name !== "ln" && flag === undefined && !links;
  const isDeep = name !== "cp" || args.some(({ text }) => recursive.test(text));
  const isAnywhere = args.some(({ text }) => renaming.test(text)) || (links && isDeep);
  // The other side may send other names than it was asked for.
  const isRemote = isNetwork && sources.some(({ text }) => /^[^/]*:/.test(text));
  const used = {
    ...nothing,
    reads: sources,
    writes: [...targets, ...(isLeft ? [] : sources), ...(isRemote ? [unknownWords] : [])],
    ...(name === "mv" ? { whole: sources } : {}),
    ...(isAnywhere ? ({ writesAnywhere: true } as const) : {}),
  };
  const isWhole =
    sources.some(({ isStatic }) => !isStatic) ||
    wholeCopies.get(name)?.test(args.map(({ text }) => text).join(" ")) === true;
  return isWhole && named !== undefined ? { ...used, copies: { from: sources, to: named } } : used;
}

/** Whether every option of `cp` or `mv` is known, so that the word behind `-t` is the target and nothing else. */
function isPlainCopy(args: readonly ShellWord[]): boolean {
  return args.every(({ isStatic, isGlob, text }) => {
    // A star in front may find the name of an option.
    if (!text.startsWith("-")) return isStatic || (isGlob && /^[\w./]/.test(text));
    return (
      /^-[afinpRruvT]*t?$/.test(text) ||
      /^--(?:archive|force|no-clobber|recursive|update|verbose|target-directory(?:=.*)?)$/s.test(
        text,
      )
    );
  });
}

function without(target: ShellWord | undefined, sources: readonly ShellWord[]): ShellWord[] {
  return sources.filter(({ text }) => text !== target?.text && !text.startsWith("-"));
}

/** Options with which a copier makes names of its own: backups with a suffix, whole paths. */
const renaming = /^-\w*[bS]|^--(?:b|su|p)/;

/** Options that make hard links: whoever writes the copy later writes the source. */
const linking: ReadonlyMap<string, RegExp> = new Map([
  ["cp", /^-\w*l|^--l/],
  ["rsync", /^--link-/],
]);

/** Copiers that take directories, each with the flags for which they do, or those that keep links. */
const wholeCopies: ReadonlyMap<string, RegExp> = new Map([
  ["cp", /(?:^| )(?:-\w*[rRadP]|--(?:rec|ar|no-d|pre))/],
  ["mv", /(?:)/],
  ["rsync", /(?:)/],
  ["scp", /(?:^| )-\w*r/],
]);

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

/** A word without its first characters, which are plain. */
function behind(word: ShellWord, count: number): ShellWord {
  if (word.isStatic) return literalWord(word.text.slice(count));
  const [first, ...others] = word.pieces;
  return { ...word, pieces: [first?.slice(count) ?? null, ...others] };
}

function usesOfDd(args: readonly ShellWord[]): FileUse {
  const values = (key: string): ShellWord[] =>
    args.filter(({ text }) => text.startsWith(key)).map((word) => behind(word, key.length));
  return { ...nothing, reads: values("if="), writes: values("of=") };
}

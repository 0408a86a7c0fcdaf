import { normalize } from "node:path";
import { literalWord, unknownWords, type ShellWord } from "../shell/shell-word.ts";
import { isHarmlessSed } from "./look/sed-script.ts";
import { isShell } from "./shells.ts";
import { runsAnything } from "./git/git-use.ts";

/** The texts that a command takes for shell code. One that is not static: any code. */
export function evaluatedBy(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const [name, ...args] = words;
  if (name?.isStatic !== true) return [];
  if (isShell(name.text)) return byShell(name, args);
  if (args.length === 0) return [];
  switch (name.text) {
    case "eval":
    case "watch":
      return [args.filter(({ text }, at) => at > 0 || !text.startsWith("-"))];
    case "git":
      return runsAnything(args) ? anything(name) : [];
    case "sed":
      return args.some(({ isStatic, text }) => !isStatic || /e\b|[wWr] /.test(text)) &&
        !onlyEdits(args)
        ? anything(name)
        : [];
    case "awk":
    case "gawk":
    case "mawk":
    case "nawk":
      return args.some(({ text }) => /system|getline|[|>]/.test(text)) ? anything(name) : [];
    case "parallel":
      return anything(name);
    case "trap":
      return [args.filter(({ text }) => !text.startsWith("-")).slice(0, 1)];
    case "source":
    case ".":
      return isFile(args[0]) ? [] : anything(name);
    case "env":
      return valuesOf(args, /^-\w*?S|^--s[\w-]*=?/);
    case "su":
    case "runuser":
    case "flock":
    case "script":
      return valuesOf(args, /^-\w*?c|^--command=?/);
    case "mapfile":
    case "readarray":
    case "compgen":
    case "complete":
      return valuesOf(args, /^-\w*?C/);
    case "hash":
      return valuesOf(args, /^-\w*?p/);
    case "alias":
      return args.map((word) => [behind(word, word.text.indexOf("=") + 1)]);
    default:
      return [];
  }
}

/** Long flags of a shell that take the next word, and others that are known. */
const withValue = /^--(?:rcfile|init-file)$/;
const withoutValue = /^--(?:norc|noprofile|posix|login|verbose|restricted|noediting)$/;

/** `-c` makes the first word that is no flag code, wherever it stands among the flags. Without code or file it reads its input. */
function byShell(name: ShellWord, args: readonly ShellWord[]): (readonly ShellWord[])[] {
  let takesCode = false;
  let readsInput = false;
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined || !/^[-+]./.test(word.text) || !word.isStatic) break;
    if (word.text === "--") {
      at += 1;
      break;
    }
    if (word.text.startsWith("--")) {
      if (withValue.test(word.text)) at += 1;
      else if (!withoutValue.test(word.text)) return anything(name);
      continue;
    }
    if (/^-.*c/.test(word.text)) takesCode = true;
    if (/^-.*s/.test(word.text)) readsInput = true;
    // Each `o` takes a word, wherever it stands in a bundle.
    at += word.text.replaceAll(/[^oO]/g, "").length;
  }
  const first = args[at]?.text === "-" ? args[at + 1] : args[at];
  if (takesCode) return first === undefined ? [] : [[first]];
  return isFile(first) && !readsInput ? [] : anything(name);
}

/** A file by its name. What comes through a pipe or from another command is any text. */
function isFile(word: ShellWord | undefined): boolean {
  if (word?.isStatic !== true) return false;
  return !/^\/dev\/(?:stdin|fd\/)|^\/proc\/|^-$/.test(normalize(word.text));
}

function anything({ text }: ShellWord): (readonly ShellWord[])[] {
  return [[{ ...unknownWords, text }]];
}

/** The value of a flag: the rest of its word, or the next one. */
function valuesOf(args: readonly ShellWord[], flag: RegExp): (readonly ShellWord[])[] {
  return args.flatMap((word, at) => {
    const [written] = flag.exec(word.text) ?? [];
    if (written === undefined) return [];
    const next = args[at + 1];
    if (word.text !== written) return [[behind(word, written.length)]];
    return next === undefined ? [] : [[next]];
  });
}

function behind(word: ShellWord, length: number): ShellWord {
  return word.isStatic ? literalWord(word.text.slice(length)) : word;
}

/** Whether the scripts of `sed` run and read nothing. A word that is no script only looks like one. */
function onlyEdits(args: readonly ShellWord[]): boolean {
  return args.every(
    ({ isStatic, text }) => isStatic && (!/[{}]|e\b|[wWr] /.test(text) || isHarmlessSed(text)),
  );
}

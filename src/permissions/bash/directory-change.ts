import { literalWord, type ShellWord } from "../shell/shell-word.ts";
import type { Form } from "./forms.ts";

/** Where a command leads what comes after it, or what it runs itself: a directory as written, or nobody can tell. */
export type DirectoryChange = { readonly to: ShellWord } | "unknown";

/** Programs that run another one elsewhere, each with the flag that says where. */
const elsewhere: ReadonlyMap<string, RegExp> = new Map([
  ["env", /^(?:-C|--chdir=?)(.*)$/s],
  ["sudo", /^(?:-D|--chdir=?)(.*)$/s],
  ["git", /^-C(.*)$/s],
  ["make", /^(?:-C|--directory=?)(.*)$/s],
  ["unshare", /^--wd=(.*)$/s],
  ["nsenter", /^--wdn?s?=(.*)$/s],
]);

const mayLead =
  /^(?:-[A-Za-z]+[CD]|--(?:c|ch|chd|chdi|chdir|d|di|dir|w|wd))(?:=|$)|^-[A-Za-z]*[CD]./;

/** The directories that a command, in any of its forms, may change to. */
export function directoryChanges(forms: readonly Form[]): DirectoryChange[] {
  return forms.flatMap(({ words: [name, ...args] }) => {
    if (name === undefined) return [];
    if (!name.isStatic) return ["unknown"];
    if (/^(?:cd|pushd)$/.test(name.text)) return [target(args)];
    if (name.text === "popd") return ["unknown"];
    if (name.text === "find" && args.some(({ text }) => /^-(?:exec|ok)dir$/.test(text)))
      return ["unknown"];
    const flag = elsewhere.get(name.text);
    if (flag === undefined) return [];
    const options = args.filter(({ text }) => text.startsWith("-"));
    // Bundled or abbreviated, an option may lead elsewhere too.
    const isOdd = options.some(({ text }) => mayLead.test(text) && !flag.test(text));
    return isOdd ? ["unknown"] : flagged(args, flag);
  });
}

function target(args: readonly ShellWord[]): DirectoryChange {
  const [to, ...others] = args.filter(({ text }) => !/^-(?:-|[LPe@]+)$/.test(text));
  return to === undefined || others.length > 0 ? "unknown" : known(to);
}

function flagged(args: readonly ShellWord[], flag: RegExp): DirectoryChange[] {
  return args.flatMap((word, at) => {
    const [, attached] = flag.exec(word.text) ?? [];
    if (attached === undefined) return [];
    const next = args[at + 1];
    if (attached === "") return [next === undefined ? "unknown" : known(next)];
    return [word.isStatic ? { to: literalWord(attached) } : "unknown"];
  });
}

function known(word: ShellWord): DirectoryChange {
  const isKnown = word.belowHome !== null || (word.isStatic && !word.text.startsWith("-"));
  return isKnown ? { to: word } : "unknown";
}

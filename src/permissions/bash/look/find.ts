import type { ShellWord } from "../../shell/shell-word.ts";
import type { Sight } from "./programs.ts";

/** Tests and actions of `find` that take no value, one value, or a path. What is not listed is not known, or looks behind links. */
const words = new Set(
  (
    "-print -print0 -prune -not ! ( ) , -o -or -a -and -empty -ls -depth -d -mount -xdev " +
    "-true -false -nouser -nogroup -daystart -noleaf -quit -ignore_readdir_race -noignore_readdir_race"
  ).split(" "),
);
const withValue = new Set(
  (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -size -mtime -atime -ctime -mmin " +
    "-amin -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -printf -fstype -used -lname -ilname -newermt"
  ).split(" "),
);
const withPath = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);

/** Whether `find` only lists, below start points inside. It follows no links, except start points, which count resolved. */
export function onlyFinds(args: readonly ShellWord[], sight: Sight): boolean {
  if (!args.every(({ isStatic }) => isStatic)) return false;
  let at = 0;
  while (/^-[HP]$/.test(args[at]?.text ?? "")) at += 1;
  for (; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined || /^(?:-.|[!(]$)/.test(word.text)) break;
    if (!sight.isInside(word)) return false;
  }
  for (; at < args.length; at += 1) {
    const { text } = args[at] as ShellWord;
    if (words.has(text)) continue;
    const value = args[at + 1];
    if (value === undefined) return false;
    // The kind of what a link leads to.
    if (text === "-printf" && value.text.includes("Y")) return false;
    if (withPath.has(text) ? !sight.isInside(value) : !withValue.has(text)) return false;
    at += 1;
  }
  return true;
}

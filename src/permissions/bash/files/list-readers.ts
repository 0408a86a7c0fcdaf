import type { ShellWord } from "../../shell/shell-word.ts";

/** Programs that take the names of files from their input, or from the file that they are given. */
const always = /^(?:patch|cpio|soelim|m4|cpp)$/;

/** Programs for which `@x` is a file with further arguments. */
const responders =
  /^(?:(?:[\w.-]+-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|ar|as|nm|strip|objcopy|objdump|readelf|size|strings)(?:-\d+)?|java|javac|javadoc|jar|7z|7za|7zz|7zr|rar|unrar|bsdtar)$/;

/** Programs with the options that name a file in which further files, or a whole script, are named. */
const options: ReadonlyMap<string, RegExp> = new Map([
  ["zip", /^-\w*@|^-@|^--names/],
  ["curl", /^-(?!-)[^AbcCdDeEFHmoPQrtTuUwxXyYz]*K|^--conf/],
  ["wget", /^-\w*[ei]|^--(?:exe|inp|conf)/],
  ["tar", /^-\w*[TI]|^--(?:fi|from)/],
  ["bsdtar", /^-\w*T|^--fi/],
  ["rsync", /^--(?:fi|inc|exc)\w*-f|^--(?:fi|filt)|^-\w*f/],
  ["xmllint", /^--(?:xi|noent|nox|cat|load)/],
  ...["awk", "mawk", "nawk"].map((name): [string, RegExp] => [
    name,
    /^-\w*[fiEl]|^--(?:f|inc|e|l)/,
  ]),
]);

/** Whether a program may read files whose names stand in another file, or in its input. */
export function readsByList(name: string, args: readonly ShellWord[]): boolean {
  if (always.test(name)) return true;
  const pattern = options.get(name);
  return args.some(
    ({ text }) => (pattern?.test(text) ?? false) || (text.startsWith("@") && responders.test(name)),
  );
}

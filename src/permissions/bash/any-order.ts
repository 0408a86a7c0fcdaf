import type { ShellWord } from "../shell/shell-word.ts";
import type { CommandPattern } from "./pattern.ts";

/** Options with one meaning and two names, by the words in front of them. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  rm: ["-r -R --recursive", "-f --force"],
  chmod: ["-R --recursive"],
  chown: ["-R --recursive"],
  cp: ["-r -R --recursive", "-f --force"],
  "git push": ["-f --force", "-d --delete"],
  "git commit": ["-n --no-verify"],
  "git branch": ["-D --delete", "-d --delete"],
  "git clean": ["-f --force"],
  npm: ["-g --global"],
  curl: ["-X --request", "-o --output", "-d --data", "-T --upload-file"],
};

/**
 * Whether a rule that names options, such as `rm -rf *`, is about words that have them elsewhere or in another bundle:
 * `rm -fr x`, `rm x -r -f`, `git push origin x --force`.
 */
export function matchesInAnyOrder(
  { literals: [literal = "", ...others], hasStar }: CommandPattern,
  [name, ...args]: readonly ShellWord[],
): boolean {
  const [program = "", ...wanted] = literal.trim().split(/\s+/);
  const isPlain = others.length === 0 || (others.length === 1 && others[0] === "");
  if (!isPlain || name?.isStatic !== true || name.text !== program) return false;
  const options = wanted.filter((word) => word.startsWith("-"));
  if (options.length === 0) return false;
  const end = args.findIndex(({ isStatic, text }) => isStatic && text === "--");
  const before = end === -1 ? args : args.slice(0, end);
  const given = before.filter(({ isStatic, text }) => isStatic && /^-./.test(text));
  const isOpen = before.some(({ isStatic, isGlob, pieces }) => {
    const [start] = pieces;
    return !isStatic && !isGlob && (start === null || start === undefined || start === "-");
  });
  const known = namesOf(program, wanted);
  const hasAll = options.every(
    (option) => isOpen || lettersOf(option).every((one) => hasOption(known(one), given)),
  );
  if (!hasAll) return false;
  // A value may stand in the word of its option.
  const values = new Set(
    given.flatMap(({ text }) => [text.slice(2), text.slice(text.indexOf("=") + 1)]),
  );
  const operands = args.filter((word) => !given.includes(word) && word.text !== "--");
  const names = wanted.filter((word) => !word.startsWith("-"));
  let at = 0;
  for (const one of names) {
    const found = operands.findIndex(({ isStatic, text }, from) => {
      return from >= at && (!isStatic || text === one);
    });
    if (found !== -1) at = found + 1;
    else if (!values.has(one)) return false;
  }
  return hasStar || operands.length <= names.length;
}

/** The letters of a bundle as options of their own; a longer word with one dash is one option. */
function lettersOf(option: string): string[] {
  const [, letters] = /^-([A-Za-z0-9]{2,4})$/.exec(option) ?? [];
  return letters === undefined ? [option] : Array.from(letters, (letter) => `-${letter}`);
}

/** All names of an option. */
function namesOf(program: string, [verb = ""]: readonly string[]): (option: string) => string[] {
  const groups = [...(synonyms[program] ?? []), ...(synonyms[`${program} ${verb}`] ?? [])];
  return (option) => {
    const same = groups.map((group) => group.split(" ")).find((group) => group.includes(option));
    return same ?? [option];
  };
}

function hasOption(names: readonly string[], given: readonly ShellWord[]): boolean {
  return given.some(({ text }) => {
    const written = text.replace(/=.*$/s, "");
    return names.some((name) => {
      if (text === name || written === name.replace(/=.*$/s, "")) return true;
      if (name.startsWith("--"))
        return written.startsWith("--") && written.length > 4 && name.startsWith(written);
      const isLetter = name.length === 2 && /^-[^-]/.test(text);
      return isLetter && /^-[A-Za-z0-9]+/.exec(text)?.[0].includes(name.slice(1)) === true;
    });
  });
}

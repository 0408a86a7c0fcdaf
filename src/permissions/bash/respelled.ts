import { join, resolve } from "node:path";
import { literalWord, type ShellWord } from "../shell/shell-word.ts";
import type { Ground } from "../ground.ts";
import { handedOn } from "./handed-on.ts";
import type { CommandPattern } from "./pattern.ts";
import type { BashView } from "./view.ts";

/**
 * The same command with its paths spelled as a rule spells them: for `./scripts/deploy.sh *`, `bash scripts/deploy.sh` and
 * `cd scripts; ./deploy.sh`. Empty: the rule names no path, or none of the words leads there.
 */
export function respelled(
  { literals }: CommandPattern,
  words: readonly ShellWord[],
  { bash, ground }: { readonly bash: BashView; readonly ground: Ground },
): (readonly ShellWord[])[] {
  const paths = literals.flatMap((literal) => literal.match(/(?<!\S)[^-\s]\S*\/\S*/g) ?? []);
  if (paths.length === 0) return [];
  const directories = new Set(paths.map((path) => path.slice(0, path.lastIndexOf("/") + 1)));
  const [first] = words;
  const isQuiet = handedOn(words)?.length === 0;
  const places = [...directories].map((text) => {
    const given = text.startsWith("~/")
      ? join(ground.shellHome, text.slice(2))
      : resolve(ground.cwd, text);
    return { text, given, real: ground.realPath(given) };
  });
  return places.flatMap((place) => {
    const changed = words.map((word) =>
      word !== first && isQuiet ? word : spelledBelow(word, place, bash),
    );
    return changed.some((word, at) => word !== words[at]) ? [changed] : [];
  });
}

interface Place {
  /** The directory as the rule writes it, with a slash. */
  readonly text: string;
  readonly given: string;
  readonly real: string;
}

function spelledBelow(word: ShellWord, { text, given, real }: Place, bash: BashView): ShellWord {
  if (!word.isStatic || word.text.startsWith("-")) return word;
  const name = word.text.slice(word.text.lastIndexOf("/") + 1);
  const pairs = bash.pairsOf(word);
  // A path that is not known may be there.
  if (pairs === null) return name === "" ? word : literalWord(`${text}${name}`);
  const below = pairs.flatMap((pair) => [rest(pair.given, given), rest(pair.real, real)]);
  const found = below.find((one) => one !== null) ?? null;
  return found === null || `${text}${found}` === word.text ? word : literalWord(`${text}${found}`);
}

function rest(path: string, directory: string): string | null {
  const start = directory.endsWith("/") ? directory : `${directory}/`;
  return path.startsWith(start) ? path.slice(start.length) : null;
}

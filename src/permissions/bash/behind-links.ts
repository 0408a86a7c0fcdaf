import { dirname } from "node:path";
import { isInside } from "../../platform/files/is-inside.ts";
import type { Ground } from "../ground.ts";
import type { PathPair } from "../policy.ts";
import { mentionedFiles } from "./files/mentioned-files.ts";
import type { TouchedFile } from "./seen-files.ts";
import type { BashView } from "./view.ts";
import { writtenCommand } from "./written-command.ts";

/**
 * A path that a part of the line uses after another part may have made links. The disk of before says nothing about it: `ln -f`,
 * `git checkout` and archives replace what is there.
 */
export interface PathBehindLinks {
  readonly pair: PathPair;
  /** `null`: the program may read or write it. */
  readonly effect: "read" | "write" | null;
  readonly part: string;
}

export function pathsBehindLinks(bash: BashView, ground: Ground): PathBehindLinks[] {
  if (!bash.makesLinks) return [];
  const isBehind = ({ at }: TouchedFile): boolean =>
    at === null ? ground.isLinked || bash.reach.runs.length > 1 : bash.isBehindLinks(at);
  const touched = bash.touched.filter((one) => isBehind(one) && mayFollow(one, bash, ground));
  return [...touched, ...mentionedBehind(bash, ground)];
}

/** The names that `ln` gives to its links, as far as the text tells. */
export function linkNames(bash: BashView): string[] {
  return bash.touched.flatMap(({ at, effect, program, pair }) => {
    const isName = effect === "write" && /^(?:ln|link|cp)$/.test(program ?? "");
    return isName && at !== null && bash.linkMakers.has(at) ? [pair.given] : [];
  });
}

/** Programs that show no content of what a link leads to. */
const listers = /^(?:ls|stat|du|df|readlink|realpath|test|\[)$/;

/** Programs that do not follow the last part of a path. */
const nameTakers = /^(?:rm|rmdir|unlink|mkdir)$/;

function mayFollow({ pair, program, effect, at }: TouchedFile, bash: BashView, ground: Ground) {
  // The work goes on where it began.
  if (pair.given === ground.cwd || (effect === "read" && listers.test(program ?? ""))) return false;
  if (nameTakers.test(program ?? "") && dirname(pair.given) === ground.cwd) return false;
  return program !== "git" || (at !== null && opensFiles(bash, at));
}

/** Whether git opens a file that an option names. Its operands are names of branches just as well, and it follows no links for them. */
function opensFiles({ reach }: BashView, at: number): boolean {
  return (reach.runs[at]?.forms ?? []).some(({ words }) =>
    words.some(
      ({ text }) =>
        /^(?:-\w*F|--fi|--cont|--no-ind|--pathspec-f|--temp)/.test(text) ||
        (text.startsWith("-f") && words.some((word) => word.text === "config")),
    ),
  );
}

/** Arguments of unknown programs: with a slash, of a file that is there, or of a link that the line makes. */
function mentionedBehind(bash: BashView, ground: Ground): PathBehindLinks[] {
  const names = linkNames(bash);
  return bash.reach.runs.flatMap(({ command, forms }, at) => {
    if (!bash.isBehindLinks(at)) return [];
    const words = forms
      .flatMap(mentionedFiles)
      .filter(({ text }) => !/^[a-z][a-z+]*:\/\//i.test(text));
    const part = writtenCommand(command);
    return words.flatMap((word) =>
      bash
        .likelyPairsOf(word)
        .filter(
          ({ given, real }) =>
            word.text.includes("/") ||
            ground.isFile(real) ||
            names.some((name) => isInside(name, given)),
        )
        .map((pair) => ({ pair, effect: null, part })),
    );
  });
}

import { join, resolve } from "node:path";
import type { ShellWord } from "../../shell/shell-word.ts";
import type { Shell } from "../../shell/shell.ts";
import type { Ground } from "../ground.ts";
import { matchesSegment } from "../path-rule.ts";

/** The paths that a word may stand for. `null`: nobody can tell before it runs. */
export type WordPaths = (word: ShellWord) => readonly string[] | null;

const mostPaths = 1000;

/** Resolves words to paths for one command line: from every directory in which its parts may run. */
export function wordPaths(shell: Shell, ground: Ground): WordPaths {
  const places = workingPlaces(shell, ground);
  const changesHome = shell.commands.some(({ assignments }) =>
    assignments.some(({ name }) => name === "HOME"),
  );
  const showsHidden = shell.commands.some(({ words }) =>
    words.some(({ text }) => text === "dotglob"),
  );
  const absolute = (word: ShellWord): readonly string[] | null => {
    if (word.belowHome !== null) return changesHome ? null : [join(ground.home, word.belowHome)];
    if (!word.isStatic && !word.isGlob) return null;
    if (word.text.startsWith("/")) return [resolve(word.text)];
    return places?.map((place) => resolve(place, word.text)) ?? null;
  };
  return (word) => {
    const written = absolute(word);
    if (written === null) return null;
    const paths = written.flatMap((path) =>
      word.hasGlob ? expand(path, ground, showsHidden) : [path],
    );
    return paths.length > mostPaths ? null : [...new Set(paths)];
  };
}

/** Where the parts of a command line may run: here, or wherever a `cd` in it leads. `null`: nobody can tell. */
function workingPlaces(shell: Shell, { cwd, home }: Ground): readonly string[] | null {
  const places = new Set([cwd]);
  for (const { words } of shell.commands) {
    const name = words.find(({ text }) => text !== "builtin" && text !== "command");
    if (name === undefined || !/^(?:cd|pushd|popd)$/.test(name.text)) continue;
    const target = words.at(-1);
    if (name.text === "popd" || target === undefined || target === name) return null;
    if (target.belowHome === null && (!target.isStatic || target.text.startsWith("-"))) return null;
    const to = target.belowHome === null ? target.text : join(home, target.belowHome);
    for (const place of [...places]) places.add(resolve(place, to));
    if (places.size > 64) return null;
  }
  return [...places];
}

/** The files that an unquoted glob finds, and the path itself, which bash passes on where it finds none. */
function expand(path: string, ground: Ground, showsHidden: boolean): string[] {
  let found = ["/"];
  for (const segment of path.split("/").filter((one) => one !== "")) {
    if (!/[*?[]/.test(segment)) {
      found = found.map((directory) => join(directory, segment));
      continue;
    }
    // A class is any character: rather too many files than too few.
    const pattern = segment.replaceAll(/\[[^\]]*\]?/g, "?");
    const isHidden = (name: string): boolean =>
      name.startsWith(".") && !segment.startsWith(".") && !showsHidden;
    found = found.flatMap((directory) =>
      ground
        .list(directory)
        .filter((name) => !isHidden(name) && matchesSegment(pattern, name))
        .map((name) => join(directory, name)),
    );
    if (found.length > mostPaths) return found;
  }
  return [...found, path];
}

import { dirname, join, resolve } from "node:path";
import type { ShellWord } from "../../shell/shell-word.ts";
import type { SimpleCommand } from "../../shell/shell.ts";
import type { Ground } from "../../ground.ts";
import { directoryChanges } from "../directory-change.ts";
import type { Reach } from "../evaluated.ts";
import { setters } from "./spelled-out.ts";
import { expandGlob, listBudget, mostPaths } from "./expand-glob.ts";

/** The paths that a word may stand for. `null`: nobody can tell before it runs. */
export type WordPaths = (word: ShellWord) => readonly string[] | null;

/** The parts of a command line that decide where its paths lead. */
export interface PathContext extends Pick<Reach, "runs"> {
  /** Some part may run more than once. */
  readonly repeats: boolean;
}

/** Resolves words to paths for one command line: from every directory in which its parts may run. */
export function wordPaths(context: PathContext, ground: Ground): WordPaths {
  const places = workingPlaces(context, ground);
  const commands = context.runs.map(({ command }) => command);
  const changesHome = commands.some(setsHome);
  /** The directories in which the word's path begins. */
  const basesOf = ({ belowHome, text, pattern, canSplit }: ShellWord): readonly string[] | null => {
    if (belowHome !== null) {
      // Without quotes, bash splits the name of an odd home directory.
      const isOdd = canSplit && !/^[\w./@+-]*$/.test(ground.shellHome);
      return changesHome || isOdd ? null : [ground.shellHome];
    }
    return (pattern ?? text).startsWith("/") ? ["/"] : places;
  };
  const looking = { ground, budget: listBudget() };
  const resolved = (word: ShellWord): readonly string[] | null => {
    const bases = basesOf(word);
    const isKnown = word.isStatic || word.isGlob || word.belowHome !== null;
    if (bases === null || !isKnown) return null;
    const { pattern } = word;
    if (pattern === null) {
      if (word.text.length > mostBytes || word.text.split("..").length > mostWaysUp) return null;
      const paths = bases.map((base) => `${base}/${word.belowHome ?? word.text}`);
      return known([...new Set(paths.flatMap((path) => spellings(path, ground)))]);
    }
    // What it finds may be links, from which `..` leads elsewhere.
    if (goesUp(pattern)) return null;
    const found = bases.map((base) => expandGlob(base, pattern, looking));
    if (found.includes(null)) return null;
    const paths = new Set(found.flatMap((some) => some ?? []));
    return paths.size > mostPaths ? null : known([...paths]);
  };
  // A stranger's command must not keep the disk busy: after so many paths nobody can tell.
  let left = mostPaths;
  const resolvedBefore = new Map<string, readonly string[] | null>();
  return (word) => {
    const key = JSON.stringify([word.text, word.belowHome, word.isStatic, word.pattern]);
    let paths = resolvedBefore.get(key);
    if (paths === undefined) {
      paths = left > 0 ? resolved(word) : null;
      left -= paths?.length ?? 1;
      resolvedBefore.set(key, paths);
    }
    return paths;
  };
}

/**
 * The path that a word names from where the call runs, by its text alone. For words whose paths are not known, because the
 * directory is not, or because there were too many before: they name something all the same.
 */
export function pathByText({ isStatic, text, belowHome }: ShellWord, ground: Ground): string[] {
  if (belowHome !== null) return [join(ground.shellHome, belowHome)];
  return isStatic ? [resolve(ground.cwd, text)] : [];
}

/** A longer path can be opened piece by piece, but not looked at. */
const mostBytes = 4095;

function known(paths: readonly string[]): readonly string[] | null {
  return paths.some((path) => Buffer.byteLength(path) > mostBytes) ? null : paths;
}

/** Each way up is looked up on the disk. */
const mostWaysUp = 32;

/** A path without its `..`: as bash and people read it, and as programs do, for whom `..` is above where a link leads. */
function spellings(path: string, ground: Ground): string[] {
  if (!goesUp(path)) return [resolve(path)];
  let real = "/";
  for (const segment of path.split("/")) {
    real = segment === ".." ? dirname(ground.realPath(real)) : join(real, segment);
  }
  return [resolve(path), real];
}

export function goesUp(path: string): boolean {
  return /(?:^|\/)\.\.(?:\/|$)/.test(path);
}

/** The beginnings of a path from which a `..` leads up. */
export function waysUp(path: string): string[] {
  const segments = path.split("/");
  return segments.flatMap((segment, at) => {
    if (segment !== "..") return [];
    const way = segments.slice(0, at).join("/");
    return [way === "" && !path.startsWith("/") ? "." : `${way}/`];
  });
}

/** Whether `~` may mean another directory from here on. */
function setsHome({ words, assignments }: SimpleCommand): boolean {
  if (assignments.some(({ name }) => name === "HOME")) return true;
  const isSetter = words.some(({ text }) => setters.test(text));
  return isSetter && words.some(({ text, isStatic }) => !isStatic || /^HOME(?:[+[=]|$)/.test(text));
}

/** Where the parts of a command line may run: here, or wherever a part of it leads. `null`: nobody can tell. */
function workingPlaces({ runs, repeats }: PathContext, ground: Ground): readonly string[] | null {
  const places = new Set([ground.cwd]);
  /** Leads nowhere new, from any of the places. */
  const settled = new Set<string>();
  for (const change of runs.flatMap(({ forms }) => directoryChanges(forms))) {
    if (change === "unknown") return null;
    const { text, belowHome } = change.to;
    const to = belowHome === null ? text : join(ground.shellHome, belowHome);
    // How often it runs decides where it leads.
    if (repeats && !to.startsWith("/")) return null;
    if (settled.has(to)) continue;
    const before = places.size;
    for (const place of [...places]) {
      for (const led of spellings(to.startsWith("/") ? to : `${place}/${to}`, ground))
        places.add(led);
    }
    if (places.size > 64) return null;
    if (places.size > before) settled.clear();
    else settled.add(to);
  }
  return [...places];
}

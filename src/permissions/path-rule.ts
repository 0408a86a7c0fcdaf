import { homedir } from "node:os";
import { join, normalize } from "node:path";
import { realPath } from "../platform/real-path.ts";

/** What a path in a rule is about: a pattern below a directory, both in lower case, because some disks know no other. */
export interface PathRule {
  readonly base: string;
  readonly segments: readonly string[];
}

/**
 * The path rules that a specifier may mean: `//x` is absolute, `~/x` lies in the home directory, everything else below one
 * of the roots; without a slash inside it holds at any depth. Also with the links of its fixed part resolved. Rather too
 * much than too little: what other programs read as a choice (`{a,b}`, `[ab]`, `@(a|b)`) is any text here, with slashes or without.
 */
export function pathRules(specifier: string, roots: readonly string[]): PathRule[] {
  const written = simplified(specifier.trim());
  const [bases, rest] = written.startsWith("//")
    ? [["/"], written]
    : /^~(?:\/|$)/.test(written)
      ? [[homedir()], written.slice(1)]
      : [roots, written];
  const segments = segmentsOf(rest);
  const isAnywhere = /^(?:\.\/)?[^/]+\/?$/.test(rest);
  const rules = bases.map((base) => ({ base, segments }));
  return [...rules, ...rules.map(resolved)].map(({ base, segments: found }) => ({
    base: base.toLowerCase(),
    segments: [...(isAnywhere ? ["**"] : []), ...found].map((segment) => segment.toLowerCase()),
  }));
}

/** Whether the rule is about this path, or about a directory that it lies in. */
export function matchesPath({ base, segments }: PathRule, path: string): boolean {
  const below = segmentsBelow(base, path.toLowerCase());
  if (below === null) return false;
  // Which parts of the pattern may come next, after each segment of the path.
  let open = new Set(afterStars(segments, 0));
  for (const segment of below) {
    if (open.has(segments.length)) return true;
    const next = new Set<number>();
    for (const at of open) {
      const pattern = segments[at] ?? "";
      const stays = pattern === "**";
      if (!stays && !matchesSegment(pattern, segment)) continue;
      for (const one of afterStars(segments, stays ? at : at + 1)) next.add(one);
    }
    open = next;
  }
  return open.has(segments.length);
}

/** From a place in the pattern on: itself, and what follows stars that may stand for nothing. */
function afterStars(segments: readonly string[], from: number): number[] {
  const places = [from];
  for (let at = from; segments[at] === "**"; at += 1) places.push(at + 1);
  return places;
}

/** `*` and `?`, without going back more than to the last star: a stranger's pattern must not take long. */
export function matchesSegment(pattern: string, text: string): boolean {
  let [at, of] = [0, 0];
  let [star, resume] = [-1, 0];
  while (at < text.length) {
    const wanted = pattern[of];
    if (wanted === "*") {
      star = of;
      resume = at;
      of += 1;
    } else if (wanted === "?" || wanted === text[at]) {
      at += 1;
      of += 1;
    } else if (star >= 0) {
      resume += 1;
      at = resume;
      of = star + 1;
    } else return false;
  }
  while (pattern[of] === "*") of += 1;
  return of === pattern.length;
}

/** Stands for a choice or class: any text, with slashes or without. */
const anything = "\0";

/** From the first bracket to the last; what is between is somebody's choice. */
function simplified(specifier: string): string {
  const plain = specifier.replaceAll(/\\(.)/gs, "$1");
  const first = plain.search(/[@!+?*]?\(|[{[]/);
  if (first === -1) return plain;
  const last = Math.max(...[")", "}", "]"].map((bracket) => plain.lastIndexOf(bracket)));
  return plain.slice(0, first) + anything + (last < first ? "" : plain.slice(last + 1));
}

/** A directory stands for everything in it, so stars at the end say nothing; several in a row say no more than one. */
function segmentsOf(pattern: string): string[] {
  const segments = normalize(pattern.replace(/^\/+/, ""))
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .map((segment) => (segment.includes(anything) || segment.includes("**") ? "**" : segment))
    .filter((segment, at, all) => segment !== "**" || all[at - 1] !== "**");
  while (segments.length > 1 && segments.at(-1) === "**") segments.pop();
  // Nobody writes such a path; whatever it is about, it is forbidden.
  return segments.length > mostSegments ? ["**"] : segments;
}

const mostSegments = 100;

function resolved({ base, segments }: PathRule): PathRule {
  const first = segments.findIndex((segment) => /[*?]/.test(segment));
  const fixed = first === -1 ? segments.length : first;
  return {
    base: realPath(join(base, ...segments.slice(0, fixed))),
    segments: segments.slice(fixed),
  };
}

function segmentsBelow(base: string, path: string): string[] | null {
  const prefix = base.endsWith("/") ? base : `${base}/`;
  if (path !== base && !path.startsWith(prefix)) return null;
  return path
    .slice(prefix.length)
    .split("/")
    .filter((segment) => segment !== "");
}

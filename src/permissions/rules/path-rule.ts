import { join, normalize } from "node:path";
import { isInside } from "../../platform/files/is-inside.ts";
import { realPath } from "../../platform/files/real-path.ts";
import type { RuleKind } from "../decision.ts";
import { matchesTokens } from "./glob-match.ts";

/** The paths that a rule matches: a pattern below a directory. */
export interface PathRule {
  readonly base: string;
  readonly segments: readonly string[];
  /** True for a rule about files of one directory, `src/*`, and not about what lies deeper. */
  readonly isFlat: boolean;
}

/** Directories that the beginning of a path in a rule stands for. */
export interface Anchors {
  /** `/x` */
  readonly project: string;
  /** `x` and `./x` */
  readonly cwd: string;
  /** `~/x` */
  readonly home: string;
}

/**
 * The path rules that a specifier means: itself, and with the links of its fixed part resolved. Without a slash it holds at any
 * depth. Rules that forbid mean rather too much than too little: what other programs read as a choice (`{a,b}`, `[ab]`,
 * `@(a|b)`) is any text in them, and `dir/**` holds at any depth.
 */
export function pathRules(specifier: string, kind: RuleKind, anchors: Anchors): PathRule[] {
  const written = kind === "allow" ? specifier.trim() : simplified(specifier.trim());
  const [bases, rest] = basesOf(written, kind, anchors);
  const isAnywhere = /^[^/]+\/?$/.test(rest) || (kind !== "allow" && /^[^/*]+\/\*\*$/.test(rest));
  // A star stays in its segment. What forbids is about everything in a directory that it fits.
  const isFlat = kind === "allow" && /(?:^|\/)(?!\*\*+$)[^/]*[*?][^/]*$/.test(rest);
  const rules = bases.map((base) => ({ base, segments: segmentsOf(rest, kind), isFlat }));
  // A folder brings links along: what a rule allows below it is not where they lead.
  const isOwn = kind !== "allow" || /^(?:~(?:\/|$)|\/\/)/.test(written);
  const led = rules.map((rule) =>
    isOwn ? resolved(rule) : { ...rule, base: realPath(rule.base) },
  );
  return [...rules, ...led].map(({ base, segments }) => ({
    isFlat,
    base: folded(base),
    segments: [...(isAnywhere ? ["**"] : []), ...segments].map(folded),
  }));
}

/** The rule that names this absolute path and, if it is a directory, what lies in it; none can name a path with signs of patterns or control characters, or one that ends in a space. */
export function ruleForPath(tool: "Edit" | "Read", path: string): string | null {
  return /[*?[\]{}\\\p{Cc}]|\)\s*,|\s$/u.test(path) ? null : `${tool}(/${path})`;
}

/** Rules that forbid hold below the project's root too: they are written for it, wherever an agent works. */
function basesOf(written: string, kind: RuleKind, anchors: Anchors): [string[], string] {
  if (written.startsWith("//")) return [["/"], written];
  if (/^~(?:\/|$)/.test(written)) return [[anchors.home], written.slice(1)];
  if (written.startsWith("/")) return [[anchors.project], written];
  const bases = kind === "allow" ? [anchors.cwd] : [anchors.cwd, anchors.project];
  return [[...new Set(bases)], written];
}

/** Some disks do not tell small letters from capitals. */
function folded(text: string): string {
  return process.platform === "darwin" ? text.toLowerCase() : text;
}

/** Whether the rule is about this path, or about a directory that it lies in. */
export function matchesPath({ base, segments, isFlat }: PathRule, path: string): boolean {
  const below = segmentsBelow(base, folded(path));
  if (below === null) return false;
  // Which parts of the pattern may come next, after each segment of the path.
  let open = new Set(afterStars(segments, 0));
  for (const segment of below) {
    if (open.has(segments.length) && !isFlat) return true;
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

/** The highest path below a directory that the rule may match: the rule's fixed part, or the directory; `null`: none. */
export function startBelow({ base, segments }: PathRule, directory: string): string | null {
  const first = segments.findIndex((segment) => /[*?]/.test(segment));
  const fixed = join(base, ...segments.slice(0, first === -1 ? segments.length : first));
  const top = folded(directory);
  if (isInside(top, fixed)) return fixed;
  return isInside(fixed, top) ? directory : null;
}

/** From a place in the pattern on: itself, and what follows stars that may stand for nothing. */
function afterStars(segments: readonly string[], from: number): number[] {
  const places = [from];
  for (let at = from; segments[at] === "**"; at += 1) places.push(at + 1);
  return places;
}

/** `*` is any text, `?` one character, and everything else literal. */
export function matchesSegment(pattern: string, text: string): boolean {
  return matchesTokens(pattern.split(""), text);
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
function segmentsOf(pattern: string, kind: RuleKind): string[] {
  const segments = normalize(pattern.replace(/^\/+/, ""))
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .map((segment) =>
      kind === "allow" ? segment.replace(/(?<=.)\*\*+|\*\*+(?=.)/g, "*") : widened(segment),
    )
    .filter((segment, at, all) => segment !== "**" || all[at - 1] !== "**");
  while (segments.length > 1 && segments.at(-1) === "**") segments.pop();
  const isOdd = segments.length > mostSegments || (kind === "allow" && segments.includes(".."));
  // Whatever it is about, it is forbidden, and nothing is allowed by it.
  return isOdd ? [kind === "allow" ? "\0" : "**"] : segments;
}

function widened(segment: string): string {
  return segment.includes(anything) || segment.includes("**") ? "**" : segment;
}

const mostSegments = 100;

function resolved({ base, segments, isFlat }: PathRule): PathRule {
  const first = segments.findIndex((segment) => /[*?]/.test(segment));
  const fixed = first === -1 ? segments.length : first;
  return {
    base: realPath(join(base, ...segments.slice(0, fixed))),
    segments: segments.slice(fixed),
    isFlat,
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

import { basename } from "node:path";
import type { ShellWord } from "../shell/shell-word.ts";
import type { Mention } from "../bash/files/mentioned-files.ts";
import { matchesTokens } from "./glob-match.ts";
import { percentDecoded } from "./percent-decoded.ts";
import type { PathRule } from "./path-rule.ts";

/**
 * Whether a word may name a file of the rule in a way that only its program knows: `FILE:.env,rdonly`, `-pf.env`,
 * `file:///x/.en[v]`. An open word may, unless its end says otherwise. `isInTree`: whether a path, below the directory that the
 * rule is about, exists; absent where it is about a file.
 */
export function mayName(
  rule: PathRule,
  { word, isPlaced }: Pick<Mention, "word" | "isPlaced">,
  isInTree?: (path: string) => boolean,
): boolean {
  const name = nameIn(rule);
  if (!word.isStatic && !word.isGlob) return mayBecome(name, word, isInTree);
  if (name === null || !word.isStatic) return false;
  // The path of a whole word is matched elsewhere, where it is known.
  if (word.text === name) return !isPlaced;
  if (!isPlaced && isInTree?.(word.text) === true) return true;
  return namedIn(name, word.text);
}

/** Whether a text names something in a way that only its program knows, or a pattern in it may. */
export function namedIn(name: string, text: string): boolean {
  const plain = decoded(text);
  return standsIn(name, valueIn(plain)) || matchesOwnGlob(name, plain);
}

/** The text of a URL, or of any word, with its escapes resolved. The query of a local file says nothing. */
function decoded(text: string): string {
  const plain = percentDecoded(text);
  return /^file:/i.test(plain) ? plain.replace(/[?#].*$/s, "") : plain;
}

/** The last part of the rule's path that says something; `null`: it matches every name. */
function nameIn({ base, segments }: PathRule): string | null {
  if (segments.length === 0) return basename(base);
  return segments.findLast((segment) => /[^*?]/.test(segment)) ?? null;
}

function mayBecome(
  name: string | null,
  { pieces }: ShellWord,
  isInTree: ((path: string) => boolean) | undefined,
): boolean {
  const [start, end] = [pieces.at(0) ?? "", pieces.at(-1) ?? ""];
  if (/^https?:\/\/[^/]/i.test(start)) return false;
  if (name === null || end === "" || /[*?]$/.test(name)) return true;
  const slash = end.indexOf("/");
  if (isInTree !== undefined && (slash === -1 || isInTree(end.slice(slash + 1)))) return true;
  const literal = name.slice(Math.max(name.lastIndexOf("*"), name.lastIndexOf("?")) + 1);
  return literal.endsWith(end) || standsIn(name, end);
}

/** The part of an option that may name a file. */
function valueIn(text: string): string {
  if (!text.startsWith("--")) return text;
  const at = text.indexOf("=");
  return at === -1 ? "" : text.slice(at + 1);
}

/** Whether the name stands in a text by itself, not as a part of a longer one. In prose a plain word is no name. */
export function standsIn(name: string, text: string): boolean {
  if (/\s/.test(text) && /^[a-z]+$/i.test(name)) return false;
  const literals = name.split(/[*?]+/);
  const [first = ""] = literals;
  // Letters of options stand right in front of a value.
  const isFree = first === "" || /^[-+]/.test(text);
  for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
    if (!isFree && /[\w.-]/.test(text[at - 1] ?? "")) continue;
    if (followEachOther(literals, text, at)) return true;
    if (first === "") return false;
  }
  return false;
}

/** Whether the texts follow each other from a place on, the last one up to the end of a name. */
function followEachOther(literals: readonly string[], text: string, from: number): boolean {
  let at = from;
  for (const [number, literal] of literals.entries()) {
    let found = number === 0 ? at : text.indexOf(literal, at);
    const isLast = number === literals.length - 1 && literal !== "";
    if (isLast) found = lastAt(literal, text, { from: found, isFixed: number === 0 });
    if (found === -1) return false;
    at = found + literal.length;
  }
  return true;
}

/** The first place at or behind another one where a text ends a name; -1: none. */
function lastAt(
  literal: string,
  text: string,
  { from, isFixed }: { from: number; isFixed: boolean },
): number {
  let at = from;
  while (at !== -1 && goesOn(text, at + literal.length))
    at = isFixed ? -1 : text.indexOf(literal, at + 1);
  return at;
}

function goesOn(text: string, at: number): boolean {
  return /^(?:[\w-]|\.\w)/.test(text.slice(at, at + 2));
}

/** Whether a part of a path is a pattern for the program itself, or has a variable in it, and may be the name. */
export function matchesOwnGlob(name: string, text: string): boolean {
  if (!/[[{*?$]/.test(text) || text.length > longestPattern) return false;
  const shape = text.replaceAll(/%?\[[^\]]*\]|\$(?:\{[^}]*\}|\([^)]*\)|\w+|[@*#?!-])/g, "*");
  const literal = name.replaceAll(/[*?]/g, "");
  // Braces with a slash in them make several parts of a path.
  if (/\{[^}]*\/[^}]*\}/.test(shape))
    return literal.endsWith(shape.slice(shape.lastIndexOf("}") + 1));
  return shape.split(/[/\s:=,@](?![^{]*\})/).some((part) => {
    if (!/[{*?]/.test(part) || !/[\w.]/.test(part)) return false;
    return alternatives(part).some(
      (one) => /[\w.]/.test(one) && matchesTokens(one.split(""), literal),
    );
  });
}

const longestPattern = 256;

/** The patterns that braces make of one; any text in their place where there are many. */
function alternatives(part: string): string[] {
  const [whole, before = "", inner = "", after = ""] =
    /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(part) ?? [];
  if (whole === undefined || !/,|\.\./.test(inner)) return [part];
  const choices = inner.includes(",") ? inner.split(",") : ["*"];
  const rest = after.replaceAll(/\{[^}]*\}?/g, "*");
  return choices.map((one) => `${before}${one}${rest}`);
}

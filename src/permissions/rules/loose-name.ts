import { basename } from "node:path";
import type { ShellWord } from "../shell/shell-word.ts";
import type { Mention } from "../bash/files/mentioned-files.ts";
import type { PathRule } from "./path-rule.ts";

/**
 * Whether a word may name a file of the rule in a way that only its program knows: `FILE:.env,rdonly`, `-pf.env`,
 * `file:///x/.en[v]`. An open word may, unless its end says otherwise.
 */
export function mayName(rule: PathRule, { word, isPlaced }: Mention): boolean {
  const name = nameIn(rule);
  if (!word.isStatic && !word.isGlob) return mayBecome(name, word);
  if (name === null || !word.isStatic) return false;
  // The path of a whole word is matched elsewhere, where it is known.
  if (word.text === name) return !isPlaced;
  return standsIn(name, valueIn(word.text)) || matchesOwnGlob(name, word.text);
}

/** The last part of the rule's path that says something; `null`: it matches every name. */
function nameIn({ base, segments }: PathRule): string | null {
  if (segments.length === 0) return basename(base);
  return segments.findLast((segment) => /[^*?]/.test(segment)) ?? null;
}

function mayBecome(name: string | null, { pieces }: ShellWord): boolean {
  const [start, end] = [pieces.at(0) ?? "", pieces.at(-1) ?? ""];
  if (/^https?:\/\/[^/]/i.test(start)) return false;
  if (name === null || end === "") return true;
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
  // Letters of options stand right in front of a value.
  const before = name.startsWith("*") || /^[-+]/.test(text) ? "" : String.raw`(?<![\w.-])`;
  const after = name.endsWith("*") ? "" : String.raw`(?![\w-]|\.\w)`;
  return new RegExp(before + expression(name) + after).test(text);
}

/** Whether the last part of a path is a pattern for the program itself, and matches the name. */
function matchesOwnGlob(name: string, text: string): boolean {
  const last = text.slice(text.lastIndexOf("/") + 1);
  if (!/[[{*?]/.test(last) || !/[\w.]/.test(last) || last.length > longestPattern) return false;
  const source = last
    .split(/(\[[^\]]*\]|\{[^{}]*\}|[*?])/)
    .map((part, at) => (at % 2 === 0 ? RegExp.escape(part) : choice(part)))
    .join("");
  return new RegExp(`^(?:${source})$`).test(name);
}

const longestPattern = 256;

function choice(part: string): string {
  if (part.startsWith("{"))
    return `(?:${part
      .slice(1, -1)
      .split(",")
      .map((one) => RegExp.escape(one))
      .join("|")})`;
  return part === "*" ? "[^/]*" : "[^/]";
}

function expression(name: string): string {
  return name.replaceAll(/[^*?]+|[*?]/g, (part) =>
    part === "*" ? "[^/]*" : part === "?" ? "[^/]" : RegExp.escape(part),
  );
}

import type { ShellWord } from "../shell/shell-word.ts";
import { isOwnName } from "../shell/own-name.ts";
import type { Reach } from "./evaluated.ts";
import { isTalker } from "./files/mentioned-files.ts";
import { isQuietProgram } from "./handed-on.ts";
import { isLook } from "./look/table-looks.ts";
import { writtenCommand } from "./written-command.ts";

/** A text that a program may take for code, and the part of the command in which it stands. */
export interface CarriedText {
  /** The words of the text, without quotes and signs of the shell. */
  readonly tokens: readonly string[];
  readonly text: string;
  readonly part: string;
}

/** More texts, or longer ones, are not looked at. */
const mostTexts = 64;
const mostTokens = 1000;

/** Programs besides talkers that print a text which they are given. */
const printers = /^(?:date|seq|basename|dirname|jq|sed)$/;

/**
 * Texts in a command that some program may take for code: arguments with blanks or signs of the shell in them, values of
 * variables, here-documents, and what `echo` and the like print into a pipe or a file. Programs that run what they are given are
 * an open set. `null`: there are too many.
 */
export function carriedTexts({ runs, documents }: Reach): readonly CarriedText[] | null {
  const found: { text: string; part: string }[] = [];
  const printed: { text: string; part: string }[] = [];
  let mayRunInput = false;
  /** Some part may turn what another one prints into another text: `echo x | tr x y | make -f -`. */
  let filters = false;
  for (const { command, forms } of runs) {
    const part = writtenCommand(command);
    for (const { name, value } of command.assignments) {
      if (value !== null && (command.words.length > 0 || !isOwnName(name)))
        found.push({ text: value.text, part });
    }
    for (const { words } of forms) {
      const [name, ...args] = words;
      // A program of the line's own may have any name.
      const program = name?.text.replace(/^(?:\/usr)?\/s?bin\//, "") ?? "";
      if (name === undefined) continue;
      if (command.outputGoesOn === true && (isTalker(program) || printers.test(program)))
        printed.push({ text: printedText(program, args), part });
      if (isTalker(program)) continue;
      if (isLook(program, args) || isQuietProgram(program)) {
        filters ||= command.outputGoesOn === true && program !== "cat";
        continue;
      }
      mayRunInput = true;
      const isScripted = /^(?:sed|gsed|jq|[gmn]?awk|ed|ex|vi|vim|nvim|view)$/.test(program);
      for (const { text } of args)
        if (isScripted || /[\s;|&!<>()`]/.test(text)) found.push({ text, part });
    }
  }
  if (mayRunInput && filters && printed.length + documents.length > 0) return null;
  if (mayRunInput) found.push(...printed, ...(printed.length > 0 ? assignedTexts(runs) : []));
  if (mayRunInput) found.push(...documents.map((text) => ({ text, part: text.slice(0, 80) })));
  const distinct = [...new Map(found.map((one) => [one.text, one])).values()];
  if (distinct.length > mostTexts) return null;
  const carried = distinct.map((one) => ({ ...one, tokens: tokensOf(one.text) }));
  const count = carried.reduce((sum, { tokens }) => sum + tokens.length, 0);
  return count > mostTokens ? null : carried;
}

/** The text that comes out, with the usual escapes resolved. */
function printedText(program: string, args: readonly ShellWord[]): string {
  const texts = args.map(({ text }) => text);
  const printed = program === "printf" ? [filledIn(texts), ...texts] : texts;
  return printed
    .join(" ")
    .replaceAll(
      /\\u([0-9a-fA-F]{1,4})|\\U([0-9a-fA-F]{1,8})/g,
      (_, short?: string, long?: string) => character(short ?? long ?? "", 16),
    )
    .replaceAll(/\\x([0-9a-fA-F]{1,2})/g, (_, code: string) => character(code, 16))
    .replaceAll(/\\0?([0-7]{1,3})/g, (_, code: string) => character(code, 8))
    .replaceAll(/\\[abefnrtv]/g, "\n");
}

function character(code: string, base: number): string {
  const point = Number.parseInt(code, base);
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : "";
}

/** The text of `printf`: its format, again and again, with the arguments for the conversions. */
function filledIn(texts: readonly string[]): string {
  const [format = "", ...values] = texts.filter((text) => text !== "--");
  const conversion = /%(?:%|[-+ 0#']*[\d*]*(?:\.[\d*]*)?[A-Za-z])/g;
  const count = [...format.matchAll(conversion)].filter(([sign]) => sign !== "%%").length;
  const rounds = count === 0 ? 1 : Math.max(1, Math.ceil(values.length / count));
  let at = 0;
  const filled = Array.from({ length: rounds }, () =>
    format.replaceAll(conversion, (sign) => (sign === "%%" ? "%" : (values[at++] ?? ""))),
  );
  return filled.join("");
}

/** The values of variables, which stand open in what is printed. */
function assignedTexts(runs: Reach["runs"]): { text: string; part: string }[] {
  return runs.flatMap(({ command }) =>
    command.assignments.flatMap(({ value }) =>
      value?.isStatic === true ? [{ text: value.text, part: writtenCommand(command) }] : [],
    ),
  );
}

/** Quotes inside a name hide it, if a shell reads the text: `c''url`. */
function tokensOf(text: string): string[] {
  const isHidden = /[\w.]["'\\]+[\w.]/.test(text);
  const texts = isHidden ? [text, text.replaceAll(/["'\\]/g, "")] : [text];
  return texts.flatMap((one) =>
    one.split(/[\s;|&<>()`$"'!={},]+/, mostTokens + 1).filter((token) => token !== ""),
  );
}

/** The words that a token may be: as it is, its last part, and without a command of `sed` in front: `1rfile`. */
export function spellingsOf(token: string): string[] {
  const ends = [token, token.replace(/^.*[/:]/s, ""), token.replace(/^.*[@#%^~+*?[\]]/s, "")];
  return ends.flatMap((one) => [one, one.replace(/^[\d,$]*[rRwWe](?=.)/, "")]);
}

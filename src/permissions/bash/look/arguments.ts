import { literalWord, type ShellWord } from "../../shell/shell-word.ts";

/**
 * The options that a program is known by, written as in a manual: `-abc` letters without a value, `-n:` one with a value,
 * `-e~` one with any text, `-f@` one with a path, `-w[=]` one with an optional value, `-<n>` a number; `--long`, `--long=`,
 * `--long=~`, `--long=@`, `--long[=]`. An option that is not listed, or is abbreviated, makes the arguments unknown.
 */
export interface OptionTable {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly optional: ReadonlySet<string>;
  /** Options whose value is any text, or a path. */
  readonly texts: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
  readonly numbers: boolean;
  /** Several letters may stand in one word. */
  readonly bundles: boolean;
}

export function optionTable(manual: string, { bundles = true } = {}): OptionTable {
  const table = {
    flags: new Set<string>(),
    values: new Set<string>(),
    optional: new Set<string>(),
    texts: new Set<string>(),
    paths: new Set<string>(),
    numbers: false,
    bundles,
  };
  for (const entry of manual.split(/\s+/).filter((one) => one !== "")) {
    const [, name = "", suffix = ""] = /^(--?[^:@=~[\]]+)(=?[:@~]|=|\[=\])?$/.exec(entry) ?? [];
    if (name === "-<n>") table.numbers = true;
    else if (suffix === "") for (const one of lettersOf(name)) table.flags.add(one);
    else if (suffix === "[=]") table.optional.add(name);
    else table.values.add(name);
    if (suffix.endsWith("@")) table.paths.add(name);
    if (suffix.endsWith("~")) table.texts.add(name);
  }
  return table;
}

function lettersOf(name: string): string[] {
  return name.startsWith("--")
    ? [name]
    : name
        .slice(1)
        .split("")
        .map((letter) => `-${letter}`);
}

/** The arguments of a program, taken apart. */
export interface Arguments {
  /** Every option as it is listed, with its value. */
  readonly options: readonly { readonly name: string; readonly value: ShellWord | null }[];
  readonly operands: readonly ShellWord[];
  /** Values that the program could take for a path after all: another version, or a table that is wrong. */
  readonly suspects: readonly ShellWord[];
  /** Some option stands behind an operand, where some programs look for no more options. */
  readonly mixes: boolean;
}

/** On other systems some options take no value that take one here. */
const isElsewhere = process.platform !== "linux";

/** `null`: some word may be an option that is not known. */
export function parseArguments(table: OptionTable, args: readonly ShellWord[]): Arguments | null {
  const options: { name: string; value: ShellWord | null }[] = [];
  const operands: ShellWord[] = [];
  const suspects: ShellWord[] = [];
  let mixes = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    if (word.isStatic && word.text === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!mayBeOption(word)) {
      operands.push(word);
      continue;
    }
    if (!word.isStatic) return null;
    mixes ||= operands.length > 0;
    const read = readOption(table, word.text);
    if (read === null) return null;
    options.push(...read.options);
    suspects.push(...read.suspects);
    if (read.wants === null) continue;
    const value = args[at + 1];
    if (value === undefined || !value.isStatic) return null;
    options.push({ name: read.wants, value });
    if (mixes || isElsewhere || !table.texts.has(read.wants)) suspects.push(value);
    at += 1;
  }
  return { options, operands, suspects, mixes };
}

/** Whether every value that may be a path is one inside. */
export function valuesStayInside(
  { suspects }: Arguments,
  { isInside }: { isInside: (word: ShellWord) => boolean },
): boolean {
  return suspects.every(isInside);
}

interface ReadOption extends Pick<Arguments, "options" | "suspects"> {
  /** The option whose value is the next word. */
  readonly wants: string | null;
}

function readOption(table: OptionTable, text: string): ReadOption | null {
  if (table.numbers && /^-\d+$/.test(text))
    return read([{ name: "-<n>", value: literalWord(text.slice(1)) }]);
  return text.startsWith("--") ? readLong(table, text) : readLetters(table, text);
}

function read(options: Arguments["options"], suspects: readonly string[] = []): ReadOption {
  return { options, suspects: suspects.map(literalWord), wants: null };
}

function readLong({ flags, values, optional }: OptionTable, text: string): ReadOption | null {
  const equals = text.indexOf("=");
  const name = equals === -1 ? text : text.slice(0, equals);
  const value = equals === -1 ? null : literalWord(text.slice(equals + 1));
  if (value === null && (flags.has(name) || optional.has(name))) return read([{ name, value }]);
  if (value !== null && (values.has(name) || optional.has(name))) return read([{ name, value }]);
  return values.has(name) ? { options: [], suspects: [], wants: name } : null;
}

/** `-la`, `-n5`, `-n 5` */
function readLetters(table: OptionTable, text: string): ReadOption | null {
  if (!table.bundles && text.length > 2) return null;
  const found: Arguments["options"][number][] = [];
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text[at]}`;
    if (table.flags.has(name)) {
      found.push({ name, value: null });
      continue;
    }
    const rest = text.slice(at + 1);
    const isOptional = table.optional.has(name);
    if (!isOptional && !table.values.has(name)) return null;
    if (!isOptional && rest === "") return { options: found, suspects: [], wants: name };
    // Some programs leave out an equals sign.
    const suspects = rest === "" || table.texts.has(name) ? [] : [rest, rest.replace(/^=/, "")];
    return read([...found, { name, value: literalWord(rest) }], suspects);
  }
  return read(found);
}

/** A dash alone is an operand. A glob is one too, unless it begins with a dash: a name that does makes its paths unknown. */
function mayBeOption({ isStatic, pattern, belowHome, text }: ShellWord): boolean {
  if (isStatic) return text.startsWith("-") && text !== "-";
  return belowHome === null && (pattern === null || pattern.startsWith("-"));
}

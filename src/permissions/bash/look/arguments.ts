import { literalWord, type ShellWord } from "../../../shell/shell-word.ts";

/**
 * The options that a program is known by, written as in a manual: `-abc` letters without a value, `-n:` one with a value,
 * `-f@` one whose value is a path, `-<n>` a number; `--long`, `--long=` with a value, `--long=@` with a path, `--long[=]` with
 * an optional one. An option that is not listed, or is abbreviated, makes the arguments unknown.
 */
export interface OptionTable {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly optional: ReadonlySet<string>;
  /** Options with a value that is a path. */
  readonly paths: ReadonlySet<string>;
  readonly numbers: boolean;
}

export function optionTable(manual: string): OptionTable {
  const table = {
    flags: new Set<string>(),
    values: new Set<string>(),
    optional: new Set<string>(),
    paths: new Set<string>(),
    numbers: false,
  };
  for (const entry of manual.split(/\s+/).filter((one) => one !== "")) {
    const [, name = "", suffix = ""] = /^(--?[^:@=[\]]+)(:|@|=@|=|\[=\])?$/.exec(entry) ?? [];
    if (name === "-<n>") table.numbers = true;
    else if (suffix === "") for (const one of lettersOf(name)) table.flags.add(one);
    else if (suffix === "[=]") table.optional.add(name);
    else table.values.add(name);
    if (suffix.endsWith("@")) table.paths.add(name);
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
  /** Words that are paths if the program stops reading options at its first operand, as some do. */
  readonly maybePaths: readonly ShellWord[];
}

/** `null`: some word may be an option that is not known. */
export function parseArguments(
  { flags, values, optional, numbers }: OptionTable,
  args: readonly ShellWord[],
): Arguments | null {
  const options: { name: string; value: ShellWord | null }[] = [];
  const operands: ShellWord[] = [];
  const maybePaths: ShellWord[] = [];
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
    const { text } = word;
    if (numbers && /^-\d+$/.test(text)) {
      options.push({ name: "-<n>", value: literalWord(text.slice(1)) });
      continue;
    }
    const read = text.startsWith("--") ? long(text) : short(text);
    if (read === null) return null;
    options.push(...read.options);
    if (read.wants === null) continue;
    const value = args[at + 1];
    if (value === undefined || !value.isStatic) return null;
    options.push({ name: read.wants, value });
    if (operands.length > 0) maybePaths.push(value);
    at += 1;
  }
  return { options, operands, maybePaths };

  function long(text: string): Read | null {
    const equals = text.indexOf("=");
    const name = equals === -1 ? text : text.slice(0, equals);
    const value = equals === -1 ? null : literalWord(text.slice(equals + 1));
    if (value === null && (flags.has(name) || optional.has(name)))
      return { options: [{ name, value }], wants: null };
    if (!values.has(name) && !(value !== null && optional.has(name))) return null;
    return value === null
      ? { options: [], wants: name }
      : { options: [{ name, value }], wants: null };
  }

  /** `-la`, `-n5`, `-n 5` */
  function short(text: string): Read | null {
    const found: Arguments["options"][number][] = [];
    for (let at = 1; at < text.length; at += 1) {
      const name = `-${text[at]}`;
      if (flags.has(name)) {
        found.push({ name, value: null });
        continue;
      }
      const rest = text.slice(at + 1);
      if (optional.has(name)) {
        return { options: [...found, { name, value: literalWord(rest) }], wants: null };
      }
      if (!values.has(name)) return null;
      if (rest === "") return { options: found, wants: name };
      return { options: [...found, { name, value: literalWord(rest) }], wants: null };
    }
    return { options: found, wants: null };
  }
}

interface Read {
  readonly options: Arguments["options"];
  /** The option whose value is the next word. */
  readonly wants: string | null;
}

/** A dash alone is an operand. A glob is one too: a name with a dash in front makes its paths unknown. */
function mayBeOption({ isStatic, isGlob, belowHome, text }: ShellWord): boolean {
  if (isStatic) return text.startsWith("-") && text !== "-";
  return !isGlob && belowHome === null;
}

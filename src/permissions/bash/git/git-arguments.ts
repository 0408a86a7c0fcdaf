import type { ShellWord } from "../../shell/shell-word.ts";
import {
  optionTable,
  parseArguments,
  type Arguments,
  type OptionTable,
} from "../look/arguments.ts";
import { gitOptions } from "./git-options.ts";

interface Table {
  readonly options: OptionTable;
  readonly verbs: ReadonlySet<string> | null;
}

const tables = new Map<string, Table>();

function tableOf(name: string, kind: "quiet" | "all"): Table | null {
  const options = Object.hasOwn(gitOptions, name) ? gitOptions[name] : undefined;
  const { quiet, loud = "", verbs, loudVerbs = "" } = options ?? {};
  if (options === undefined || (quiet === undefined && kind === "quiet")) return null;
  const key = `${kind} ${name}`;
  let table = tables.get(key);
  if (table === undefined) {
    const isAll = kind === "all";
    const few = verbs?.split(" ");
    table = {
      options: optionTable(isAll ? `${quiet ?? ""} ${loud}` : (quiet ?? "")),
      verbs: few === undefined ? null : new Set(isAll ? [...few, ...loudVerbs.split(" ")] : few),
    };
    tables.set(key, table);
  }
  return table;
}

/** The arguments of a command of git, with paths behind `--` apart. */
export interface GitArguments extends Pick<Arguments, "options" | "operands"> {
  readonly paths: readonly ShellWord[];
  /** The first operand is one of the command's known verbs; also where the command has none. */
  readonly isKnownVerb: boolean;
}

/** `null`: the command, or some option, is not known to show nothing (`quiet`), or to run nothing (`all`). */
export function gitArguments(
  name: string,
  args: readonly ShellWord[],
  kind: "quiet" | "all",
): GitArguments | null {
  const table = tableOf(name, kind);
  if (table === null) return null;
  const end = args.findIndex(({ isStatic, text }) => isStatic && text === "--");
  const given = parsed(table.options, end === -1 ? args : args.slice(0, end));
  if (given === null) return null;
  const [verb] = given.operands;
  const isKnownVerb = table.verbs === null || verb === undefined || table.verbs.has(verb.text);
  return { ...given, paths: end === -1 ? [] : args.slice(end + 1), isKnownVerb };
}

/** Stands for text that only running would tell. */
const openText = "…";

/** Options whose value is neither a file nor a program, in every command that has them here. */
const takesText = /^(?:-[bBcCm]|--(?:message|author|date|grep|create|branch|since|until))$/;

/** A word in quotes is one word: the value of an option for texts, or an operand unless it may begin with a dash. */
function parsed(table: OptionTable, args: readonly ShellWord[]): Arguments | null {
  const open = new Set<ShellWord>();
  const words = args.map((word) => {
    if (word.isStatic || word.canSplit) return word;
    const first = word.pieces[0] ?? "-";
    const option = /^--[\w-]+=/.exec(first)?.[0] ?? "";
    const standIn = { ...word, isStatic: true, text: `${option}${openText}` };
    if (option === "" && first.startsWith("-")) open.add(standIn);
    return standIn;
  });
  const given = parseArguments(table, words);
  if (given === null || given.operands.some((word) => open.has(word))) return null;
  const isTold = given.options.every(
    ({ name, value }) => value?.text !== openText || takesText.test(name),
  );
  return isTold ? given : null;
}

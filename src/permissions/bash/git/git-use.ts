import { literalWord, unknownWords, type ShellWord } from "../../shell/shell-word.ts";
import { optionTable, parseArguments } from "../look/arguments.ts";
import { gitCommand, onlyLists, type GitCommand } from "./git-command.ts";
import { lookingCommands, rewritingCommands, storingCommands } from "./git-facts.ts";
import { gitArguments, type GitArguments } from "./git-arguments.ts";
import { isLoosePathspec, takesNamesFromInput } from "./git-input.ts";
import { showsContent } from "./git-shows.ts";
import { isKnownPath, type FileUse } from "../files/use.ts";
import { operandsOf } from "../files/operands.ts";

/** The files that git reads and writes by name, and whether it shows others. `revision:path` is a path too. */
export function usesOfGit(args: readonly ShellWord[]): FileUse {
  const command = gitCommand(args);
  const given = command?.args ?? args;
  // `-Ffile`: the letter of an option and its value.
  const attached = given.flatMap(({ isStatic, text }) => {
    const [, value] = /^-[A-Za-z](.+)$/s.exec(text) ?? [];
    return isStatic && value !== undefined ? [literalWord(value)] : [];
  });
  const named = [...operandsOf(given).filter(isKnownPath), ...attached];
  const behind = named
    .filter(({ text }) => text.includes(":"))
    .map(({ text }) => literalWord(text.slice(text.lastIndexOf(":") + 1)));
  const shows = command === null || showsContent(command);
  const use = {
    reads: [...named, ...behind],
    writes: [...writtenBy(command, named), ...clonedInto(command)],
    whole: command !== null && /^(?:mv|rm)$/.test(command.name) ? named : [],
    walks: shows ? null : [],
    ...(command !== null && takesNamesFromInput(command)
      ? ({ namesFromInput: true } as const)
      : {}),
    ...(command !== null &&
    /^(?:checkout|restore)$/.test(command.name) &&
    given.some(isLoosePathspec)
      ? ({ writesComputed: true } as const)
      : {}),
  };
  const operands = ofPlainDiff(args);
  return operands === null ? use : { ...use, ifPaths: operands };
}

/** Files that only running would tell, or those that a command may write because it is given their names. */
function writtenBy(command: GitCommand | null, named: readonly ShellWord[]): readonly ShellWord[] {
  const name = command?.name ?? "";
  if (command !== null && onlyLists(command)) return [];
  if (rewritingCommands.has(name)) return [unknownWords];
  if (command !== null && takesNamesFromInput(command)) return [unknownWords, ...named];
  const isKept = name === "" || lookingCommands.has(name) || storingCommands.has(name);
  const isRead = name === "config" && command?.args.some(({ text }) => readsConfig.test(text));
  return command !== null && (isKept || isRead === true) ? [] : named;
}

/** The directories that git makes out of the names of repositories, where none is given. */
function clonedInto(command: GitCommand | null): ShellWord[] {
  if (command?.name !== "clone" && command?.name !== "submodule") return [];
  return operandsOf(command.args).flatMap(({ text }) => {
    const name = /([^/:]+?)(?:\/*\.git|\.bundle)?\/*$/s.exec(text)?.[1] ?? "";
    return name === "" || name === text ? [] : [literalWord(name), literalWord(`${name}.git`)];
  });
}

const readsConfig = /^(?:-l|--list|--get(?:-all|-regexp)?)$/;

/** The operands of a `git diff` that compares the work tree with the index; `null`: it may show more. */
function ofPlainDiff(args: readonly ShellWord[]): readonly ShellWord[] | null {
  if (args[0]?.text !== "diff" || !args.every(({ isStatic }) => isStatic)) return null;
  const given = parseArguments(plainDiff, args.slice(1));
  return given === null ? null : given.operands;
}

const plainDiff = optionTable(
  "-pusabwz -U: -M -W -q --patch --stat --numstat --shortstat --summary --name-only --name-status --unified= --minimal " +
    "--patience --histogram --color[=] --no-color --word-diff[=] --no-renames --ignore-space-at-eol --ignore-space-change " +
    "--ignore-all-space --ignore-blank-lines --function-context --exit-code --quiet --check --no-prefix --no-ext-diff " +
    "--no-textconv --compact-summary",
);

/** Settings that name no program. */
const harmlessSetting =
  /^(?:user|color|advice|column|log|status|diff\.(?:renames|noprefix)|init\.defaultbranch|commit\.gpgsign|core\.(?:quotepath|autocrlf|abbrev)|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|fetch\.prune)(?:\.|=|$)/i;

/** Whether git may run anything: it is not known for certain that no argument names a program, or a configuration that may. */
export function runsAnything(args: readonly ShellWord[]): boolean {
  const command = gitCommand(args);
  if (command === null) return true;
  const { name, before } = command;
  if (before.some(({ text }, at) => text === "-c" && !isHarmless(before[at + 1]))) return true;
  const given = gitArguments(name, command.args, "all");
  if (given === null || !given.isKnownVerb) return true;
  // `ext::program`, and other helpers for a repository.
  if (given.operands.some(({ text }) => text.includes("::"))) return true;
  return name === "config" && !isHarmlessConfig(given);
}

function isHarmless(setting: ShellWord | undefined): boolean {
  return setting?.isStatic === true && harmlessSetting.test(setting.text);
}

/** Whether `git config` reads, takes a setting away, or sets one that names no program. */
function isHarmlessConfig({ options, operands: [first, ...others] }: GitArguments): boolean {
  const names = options.map(({ name }) => name);
  if (names.includes("--rename-section")) return false;
  if (names.some((name) => readsConfig.test(name) || name.startsWith("--unset"))) return true;
  return others.length === 0 || /^(?:get|list)$/.test(first?.text ?? "") || isHarmless(first);
}

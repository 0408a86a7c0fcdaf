import { literalWord, unknownWords, type ShellWord } from "../../../shell/shell-word.ts";
import { optionTable, parseArguments } from "../look/arguments.ts";
import { gitCommand } from "./git-command.ts";
import { rewritingCommands, silentCommands } from "./git-facts.ts";
import { isKnownPath, type FileUse } from "./use.ts";
import { operandsOf } from "./operands.ts";

/** Which files git reads by name, and whether it shows what is in others. `revision:path` is a path too. */
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
  const shows = command === null || showsContent(command.name, command.args);
  const writes = rewritingCommands.has(command?.name ?? "") ? [unknownWords] : [];
  const use = { reads: [...named, ...behind], writes, walks: shows ? null : [] };
  const operands = ofPlainDiff(args);
  return operands === null ? use : { ...use, ifPaths: operands };
}

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

/** Flags of `log`, `status` and the like with which no content is shown. */
const quiet =
  /^(?:--|-s|-b|-z|-n|-\d+|-n\d+|--(?:oneline|graph|all|reverse|merges|no-merges|first-parent|follow|short|branch|long|show-stash|abbrev-commit|no-abbrev-commit|no-color|cached|staged|no-renames|exit-code|topo-order|date-order|no-decorate|no-ext-diff|list|porcelain|untracked-files|decorate|branches|tags|remotes|pretty|format|max-count|skip|since|until|after|before|author|committer|grep|date|color|diff-filter|abbrev|ignored|ignore-submodules)(?:=.*)?)$/s;
/** Flags with which names and numbers alone are shown. */
const onlyNames =
  /^(?:-s|--(?:no-patch|quiet|stat|numstat|shortstat|dirstat|name-only|name-status|summary|compact-summary)(?:=.*)?)$/s;

function showsContent(name: string, args: readonly ShellWord[]): boolean {
  const flags = args.filter(({ isStatic, text }) => !isStatic || text.startsWith("-"));
  const areQuiet = flags.every(
    ({ isStatic, text }) => isStatic && (quiet.test(text) || onlyNames.test(text)),
  );
  switch (name) {
    case "status":
    case "log":
    case "reflog":
      return !areQuiet;
    case "diff":
    case "show":
      return !areQuiet || !flags.some(({ text }) => onlyNames.test(text));
    case "stash":
      return args.some(({ isStatic, text }) => !isStatic || /^(?:show|-p|--patch)$/.test(text));
    case "":
      return false;
    case "blame":
      // The file that it shows is an operand.
      return args.some(({ isStatic }) => !isStatic);
    default:
      return (
        !silentCommands.has(name) ||
        flags.some(({ text }) => /^(?:-\w*[pv]|--(?:pat|verb|show-current))/.test(text))
      );
  }
}

/** Settings on the command line that name no program. */
const harmlessSetting =
  /^(?:user|color|advice|column|log|status|diff\.(?:renames|noprefix)|init\.defaultbranch|commit\.gpgsign|core\.(?:quotepath|autocrlf|abbrev))(?:\.|=)/i;

/** Commands and options of git that run a program which is an argument. */
const running =
  /^(?:bisect run|submodule foreach|filter-branch|difftool|mergetool|for-each-repo)\b/;
const runningOption = /^(?:-x|--exec|--extcmd|-O|--open-files|--upload-pack|--receive-pack|ext::)/;

/** Whether git may run anything, because an argument names a program or a configuration. */
export function runsAnything(args: readonly ShellWord[]): boolean {
  const command = gitCommand(args);
  const texts = command?.args.map(({ text }) => text) ?? [];
  if (running.test([command?.name, ...texts].join(" "))) return true;
  if (texts.some((text) => runningOption.test(text)) && command?.name !== "ls-files") return true;
  return args.some(({ isStatic, text }, at) => {
    if (!isStatic) return false;
    if (/^--(?:config-env|exec-path=)/.test(text)) return true;
    const setting = text === "-c" ? args[at + 1] : undefined;
    return setting !== undefined && !(setting.isStatic && harmlessSetting.test(setting.text));
  });
}

import { literalWord, unknownWords, type ShellWord } from "../../../shell/shell-word.ts";
import { isKnownPath, type FileUse } from "./use.ts";
import { operandsOf } from "./operands.ts";

/** Options in front of the command that take the next word. */
const withValue = new Set(
  "-c -C --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source".split(
    " ",
  ),
);

/** The command of git and its arguments; `null`: only running would tell. */
export function gitCommand(
  args: readonly ShellWord[],
): { readonly name: string; readonly args: readonly ShellWord[] } | null {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word?.isStatic !== true) return null;
    if (!word.text.startsWith("-")) return { name: word.text, args: args.slice(at + 1) };
    if (withValue.has(word.text)) at += 1;
  }
  return { name: "", args: [] };
}

/** Which files git reads by name, and whether it shows what is in others. `revision:path` is a path too. */
export function usesOfGit(args: readonly ShellWord[]): FileUse {
  const command = gitCommand(args);
  const named = operandsOf(command?.args ?? args).filter(isKnownPath);
  const behind = named
    .filter(({ text }) => text.includes(":"))
    .map(({ text }) => literalWord(text.slice(text.lastIndexOf(":") + 1)));
  const shows = command === null || showsContent(command.name, command.args);
  const writes = rewriting.has(command?.name ?? "") ? [unknownWords] : [];
  return { reads: [...named, ...behind], writes, walks: shows ? null : [] };
}

/** Commands that change files of the work tree, which only running would tell. */
const rewriting = new Set(
  (
    "checkout switch restore reset clean apply stash merge pull rebase cherry-pick revert am rm mv read-tree " +
    "checkout-index submodule sparse-checkout"
  ).split(" "),
);

/** Commands that show what is in files, of now or of earlier. */
const showing = new Set(
  (
    "grep cat-file archive format-patch diff-tree diff-index diff-files whatchanged range-diff fast-export bundle " +
    "difftool rerere bisect annotate notes"
  ).split(" "),
);

/** Flags of `log`, `status` and the like with which no content is shown. */
const quiet =
  /^(?:--|-s|-b|-z|-n|-\d+|-n\d+|--(?:oneline|graph|all|reverse|merges|no-merges|first-parent|follow|short|branch|long|show-stash|abbrev-commit|no-abbrev-commit|no-color|cached|staged|no-renames|exit-code|topo-order|date-order|no-decorate|no-ext-diff|list|porcelain|untracked-files|decorate|branches|tags|remotes|pretty|format|max-count|skip|since|until|after|before|author|committer|grep|date|color|diff-filter|abbrev|ignored|ignore-submodules)(?:=.*)?)$/s;
/** Flags with which names and numbers alone are shown. */
const onlyNames =
  /^(?:-s|--(?:no-patch|quiet|stat|numstat|shortstat|dirstat|name-only|name-status|summary|compact-summary)(?:=.*)?)$/s;

function showsContent(name: string, args: readonly ShellWord[]): boolean {
  if (showing.has(name)) return true;
  const flags = args.filter(({ isStatic, text }) => !isStatic || text.startsWith("-"));
  const areQuiet = flags.every(
    ({ isStatic, text }) => isStatic && (quiet.test(text) || onlyNames.test(text)),
  );
  switch (name) {
    case "status":
    case "log":
    case "reflog":
    case "shortlog":
      return !areQuiet && !(name === "shortlog");
    case "diff":
    case "show":
      return !areQuiet || !flags.some(({ text }) => onlyNames.test(text));
    case "stash":
      return args.some(({ isStatic, text }) => !isStatic || /^(?:show|-p|--patch)$/.test(text));
    case "commit":
    case "am":
    case "rebase":
      return flags.some(({ text }) => /^(?:-\w*v|--verb|--show)/.test(text));
    default:
      return false;
  }
}

/** Settings on the command line that name no program. */
const harmlessSetting =
  /^(?:user|color|advice|column|log|status|diff\.(?:renames|noprefix)|init\.defaultbranch|commit\.gpgsign|core\.(?:quotepath|autocrlf|abbrev))(?:\.|=)/i;

/** Whether git may run anything, because its configuration is given on the command line. */
export function runsAnything(args: readonly ShellWord[]): boolean {
  return args.some(({ isStatic, text }, at) => {
    if (!isStatic) return false;
    if (/^--(?:config-env|exec-path=)/.test(text)) return true;
    const setting = text === "-c" ? args[at + 1] : undefined;
    return setting !== undefined && !(setting.isStatic && harmlessSetting.test(setting.text));
  });
}

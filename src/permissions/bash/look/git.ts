import type { ShellWord } from "../../shell/shell-word.ts";
import {
  optionTable,
  parseArguments,
  valuesStayInside,
  type Arguments,
  type OptionTable,
} from "./arguments.ts";
import type { Sight } from "./programs.ts";

interface GitRow {
  readonly options: OptionTable;
  readonly check: (given: Arguments) => boolean;
}

function command(manual: string, check: GitRow["check"] = () => true): GitRow {
  return { options: optionTable(manual), check };
}

const noOperands = ({ operands }: Arguments): boolean => operands.length === 0;

const diffOptions =
  "-<n> -pusRabwz -U[=] -M[=] -C[=] -B[=] -D -l: -S: -G: --patch --no-patch --raw --stat[=] --numstat --shortstat --dirstat[=] " +
  "--summary --name-only --name-status --patch-with-stat --unified[=] --minimal --patience --histogram --diff-algorithm= " +
  "--color[=] --no-color --word-diff[=] --word-diff-regex= --color-words[=] --color-moved[=] --no-renames --find-renames[=] " +
  "--find-copies[=] --find-copies-harder --diff-filter= --pickaxe-all --pickaxe-regex --relative[=] --text " +
  "--ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --inter-hunk-context= " +
  "--function-context --exit-code --quiet --check --full-index --binary --abbrev[=] --src-prefix= --dst-prefix= --no-prefix " +
  "--no-ext-diff --no-textconv --compact-summary --stat-width= --stat-count= --stat-name-width= -W -q -c -m --cc";

const logOptions =
  `${diffOptions} -i -E -F -g -L: -n: --oneline --graph --all --branches[=] --tags[=] --remotes[=] --decorate[=] --no-decorate ` +
  "--pretty[=] --format= --abbrev-commit --no-abbrev-commit --max-count= --skip= --since= --after= --until= --before= --author= " +
  "--committer= --grep= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --merges --no-merges " +
  "--first-parent --reverse --topo-order --date-order --author-date-order --follow --date= --relative-date --full-history " +
  "--simplify-by-decoration --ancestry-path --left-right --cherry --cherry-mark --cherry-pick --boundary --parents --children " +
  "--source --no-walk[=] --walk-reflogs --reflog --not --no-notes --no-mailmap --use-mailmap --clear-decorations --no-patch";

const commands: ReadonlyMap<string, GitRow> = new Map<string, GitRow>([
  [
    "status",
    command(
      "-sbvz -u[=] --short --branch --show-stash --porcelain[=] --long --verbose --untracked-files[=] --ignored[=] --ignore-submodules[=] --column[=] --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames[=]",
    ),
  ],
  ["log", command(logOptions)],
  ["show", command(logOptions)],
  ["diff", command(`${diffOptions} --cached --staged --merge-base --name-only`)],
  [
    "shortlog",
    command(
      "-snec -w[=] --summary --numbered --email --committer --all --no-merges --since= --until= --group=",
    ),
  ],
  [
    "blame",
    command(
      "-<n> -bclstfnpewCM -L: --root --show-stats --porcelain --line-porcelain --show-name --show-number --show-email --date= --since= --abbrev=",
    ),
  ],
  [
    "ls-files",
    command(
      "-cdmosuktvz -x: --cached --deleted --modified --others --stage --unmerged --killed --directory --no-empty-directory --exclude= --exclude-standard --full-name --error-unmatch --abbrev[=] --eol --deduplicate",
    ),
  ],
  [
    "ls-tree",
    command(
      "-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev[=]",
    ),
  ],
  [
    "rev-parse",
    command(
      "-q --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --abbrev-ref[=] --short[=] --verify --quiet --symbolic --symbolic-full-name --all --branches[=] --tags[=] --remotes[=]",
    ),
  ],
  [
    "describe",
    command(
      "--all --tags --always --long --exact-match --first-parent --dirty[=] --broken[=] --abbrev= --match= --exclude= --contains --candidates=",
    ),
  ],
  [
    "branch",
    command(
      "-arvvq --all --remotes --verbose --show-current --no-color --color[=] --sort= --format= --no-column --column[=] --list",
      listsOnly,
    ),
  ],
  ["tag", command("-n[=] -l --list --sort= --format= --no-column --column[=]", listsOnly)],
  ["remote", command("-v --verbose", noOperands)],
  [
    "stash",
    command("", ({ operands: [verb, ...rest] }) => verb?.text === "list" && rest.length === 0),
  ],
  [
    "worktree",
    command(
      "--porcelain -z",
      ({ operands: [verb, ...rest] }) => verb?.text === "list" && rest.length === 0,
    ),
  ],
  ["version", command("", noOperands)],
  ["merge-base", command("-a --all --octopus --independent --is-ancestor --fork-point")],
  [
    "rev-list",
    command(
      "-<n> -n: --count --all --branches[=] --tags[=] --remotes[=] --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --merges --no-merges --first-parent --reverse --topo-order --date-order --left-right --not --oneline --abbrev-commit --parents --children",
    ),
  ],
  [
    "show-ref",
    command(
      "-dsq --head --heads --branches --tags --dereference --hash[=] --abbrev[=] --verify --quiet",
    ),
  ],
  [
    // Without `-O`, which runs a program, and without other repositories or files that git does not track.
    "grep",
    command(
      "-<n> -vwxiIaFEGPnhHlLcqzWp -e~ -A: -B: -C: -m: --cached --text --ignore-case --word-regexp --invert-match --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --name-only --files-with-matches --files-without-match --count --color[=] --no-color --break --heading --show-function --function-context --context= --after-context= --before-context= --and --or --not --all-match --quiet --max-depth= --full-name --null -o --only-matching --max-count=",
    ),
  ],
]);

/** Options in front of the command: only ones that change neither the repository nor the configuration. */
const before = new Set(["--no-pager", "--no-optional-locks", "--literal-pathspecs"]);

/** Whether a git command only looks at the repository. */
export function gitLooks(args: readonly ShellWord[], sight: Sight): boolean {
  if (args.length === 1 && args[0]?.isStatic === true && args[0].text === "--version") return true;
  if (sight.changesDirectory || sight.distrustsGit) return false;
  if (!args.every(({ isStatic }) => isStatic)) return false;
  const at = args.findIndex(({ text }) => !before.has(text));
  const known = commands.get(args[at]?.text ?? "");
  const given = known === undefined ? null : parseArguments(known.options, args.slice(at + 1));
  if (known === undefined || given === null || !known.check(given)) return false;
  if (checksSignatures(given) || !valuesStayInside(given, sight)) return false;
  // Git itself decides what is a path: each operand counts as one.
  return given.operands.every((word) => sight.isInside(word));
}

/** Formats that have a signature checked, by a program that the configuration names. */
function checksSignatures({ options }: Arguments): boolean {
  return options.some(({ value }) => /%[-+ ]?G|%\(signature/.test(value?.text ?? ""));
}

/** An operand would make a branch or a tag, unless it is a pattern of a list. */
function listsOnly({ options, operands }: Arguments): boolean {
  return operands.length === 0 || options.some(({ name }) => name === "--list" || name === "-l");
}

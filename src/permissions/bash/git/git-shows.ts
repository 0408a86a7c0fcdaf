import type { ShellWord } from "../../shell/shell-word.ts";
import type { GitCommand } from "./git-command.ts";
import { rewritingCommands, transferringCommands } from "./git-facts.ts";
import { gitArguments, type GitArguments } from "./git-arguments.ts";

/** Whether git may show what is in files, or copy files to other names. Their names and sizes do not count. */
export function showsContent({ name, before, args }: GitCommand): boolean {
  const given = gitArguments(name, args, "quiet");
  if (given === null || !given.isKnownVerb) return true;
  const { operands } = given;
  // In another work tree a path means another file; it, or another repository, gets copies of what git knows.
  if (before.some(({ text }) => text.startsWith("--work-tree"))) return true;
  if (rewritingCommands.has(name) && before.some(isElsewhere)) return true;
  if (given.options.some(movesFiles)) return true;
  if (transferringCommands.has(name) && operands.some(isLocal)) return true;
  switch (name) {
    case "show":
      // Whatever is no commit is shown whole.
      return !isSummary(given) || !operands.every(isCommit);
    case "diff":
      return !isSummary(given);
    case "cat-file":
      return given.options.length === 0;
    case "branch":
    case "tag":
    case "for-each-ref":
      return given.options.some(({ value }) => showing.test(value?.text ?? ""));
    case "clone":
      return !remote.test(operands[0]?.text ?? "");
    case "blame":
      // The file that it shows is an operand.
      return args.some(({ isStatic }) => !isStatic);
    default:
      return false;
  }
}

/** Options with which names and numbers alone are shown. */
const summaries =
  /^(?:-s|--(?:no-patch|quiet|stat|numstat|shortstat|dirstat|name-only|name-status|summary|compact-summary))$/;

function isSummary({ options }: GitArguments): boolean {
  return options.some(({ name }) => summaries.test(name));
}

/** A revision that names a commit, or a range of them, whatever the repository holds. A name may be a tag of a file. */
function isCommit({ text }: ShellWord): boolean {
  return text.split(/\.{2,3}/).every((one) => surely.test(one));
}

const surely = /^(?:(?:HEAD|@)(?:[~^]\d*)*|[^:{]+\^(?:0|\{commit\}))$/;

/** Formats that show the object itself. */
const showing = /%\(\*?(?:raw|contents)/i;

function isElsewhere({ text }: ShellWord): boolean {
  return /^(?:-C|--git-dir)/.test(text);
}

/** `-X subtree=x` merges files into another directory. */
function movesFiles({ name, value }: GitArguments["options"][number]): boolean {
  return (
    /^(?:-X|--strategy-option)$/.test(name) &&
    !/^(?:ours|theirs|ignore-[\w-]+|(?:no-)?renormalize|no-renames|find-renames(?:=.*)?|patience|histogram|diff-algorithm=.*)$/.test(
      value?.text ?? "",
    )
  );
}

/** A repository that is named by its path. */
function isLocal({ pieces: [front] }: ShellWord): boolean {
  return /^(?:\.{0,2}(?:\/|$)|~|file:)/.test(front ?? "");
}

const remote = /^(?:https?|ssh|git):\/\/|^[\w.-]+@[\w.-]+:/;

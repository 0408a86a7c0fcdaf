import type { ShellAssignment, SimpleCommand } from "../../shell/shell.ts";
import type { Form } from "../forms.ts";
import { isTalker } from "../files/mentioned-files.ts";

/** Variables by which git takes another repository, work tree, configuration or program. */
const steering = /^(?:GIT_\w+|HOME|XDG_CONFIG_HOME)$/;

/** Variables of git that name no file and no program, whatever their value is. */
const harmless =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT|ADVICE|FLUSH|PROGRESS_DELAY|LFS_SKIP_SMUDGE|CONFIG_NOSYSTEM|LITERAL_PATHSPECS|REFLOG_ACTION)$/;

/** Values with which further ones do nothing. */
const harmlessValues: ReadonlyMap<string, RegExp> = new Map([
  ["GIT_PAGER", /^(?:cat|less|more|)$/],
  ["GIT_EDITOR", /^(?:true|:|\/bin\/true|\/usr\/bin\/true)$/],
  ["GIT_SEQUENCE_EDITOR", /^(?:true|:|\/bin\/true|\/usr\/bin\/true)$/],
  ["GIT_ASKPASS", /^(?:true|\/bin\/true|\/usr\/bin\/true|)$/],
  ["GIT_TRACE", /^(?:0|1|2|true|false|)$/],
  ["GIT_CONFIG_GLOBAL", /^\/dev\/null$/],
  ["GIT_CONFIG_SYSTEM", /^\/dev\/null$/],
]);

interface GitRun {
  readonly command: SimpleCommand;
  readonly forms: readonly Form[];
}

/**
 * The commands of a line that set a variable which steers git, if the line runs git. Such git may show, write and run anything.
 * A variable of git counts in front of every program: programs run git themselves.
 */
export function steeredGit(runs: readonly GitRun[]): SimpleCommand[] {
  const runsGit = runs.some(({ forms }) => forms.some(isGit));
  return runs
    .filter(({ command }) => {
      const { words } = command;
      const isSpoken = words.length > 0 && isTalker(words[0]?.text ?? "");
      return settings(command).some(
        (one) =>
          isSteering(one) &&
          (runsGit || (one.name.startsWith("GIT_") && words.length > 0 && !isSpoken)),
      );
    })
    .map(({ command }) => command);
}

function isGit({ words: [name] }: Form): boolean {
  return name !== undefined && /^(?:.*\/)?git(?:-[\w-]+)?$/s.test(name.text);
}

/** Variables that are set in front of a command, or by the words of one such as `env`. */
function settings({ words, assignments }: SimpleCommand): readonly ShellAssignment[] {
  const [name] = words;
  if (name === undefined || isGit({ words, assignments }) || isTalker(name.text))
    return assignments;
  const given = words.slice(1).flatMap((word) => {
    const [, variable, value = ""] = /^(\w+)=(.*)$/s.exec(word.text) ?? [];
    if (variable === undefined) return [];
    return [{ name: variable, value: word.isStatic ? { ...word, text: value } : word }];
  });
  return [...assignments, ...given];
}

function isSteering({ name, value }: ShellAssignment): boolean {
  if (!steering.test(name) || harmless.test(name)) return false;
  return value?.isStatic !== true || harmlessValues.get(name)?.test(value.text) !== true;
}

import { readShell } from "../../shell/read-shell.ts";
import type { Redirection, Shell, SimpleCommand } from "../../shell/shell.ts";
import { evaluatedBy } from "./evaluated-text.ts";
import { runnableForms, type Form } from "./forms.ts";

/** Everything that a command line may run, also through text that something in it takes for code. */
export interface Reach {
  /** Each with its forms, those inside evaluated text too. */
  readonly runs: readonly { readonly command: SimpleCommand; readonly forms: readonly Form[] }[];
  /** Of the line and of evaluated text. */
  readonly redirections: readonly Redirection[];
  /** What may run anything at all, as it stands. */
  readonly unknown: readonly string[];
}

export function reachOf(shell: Shell, depth = 0): Reach {
  const runs = shell.commands.map((command) => ({ command, forms: runnableForms(command) }));
  const unknown: string[] = shell.hidesCode ? [...shell.opaque] : [];
  const inner = runs.flatMap(({ forms }) => forms.flatMap(({ words }) => evaluatedBy(words)));
  const reached = inner.map((parts): Reach => {
    const text = parts.every(({ isStatic }) => isStatic)
      ? parts.map((one) => one.text).join(" ")
      : null;
    const read = text === null || depth >= 3 ? null : readShell(text);
    if (read?.readable !== true)
      return { runs: [], redirections: [], unknown: [parts.map((one) => one.text).join(" ")] };
    return reachOf(read.shell, depth + 1);
  });
  for (const { name, value } of shell.commands.flatMap(({ assignments }) => assignments)) {
    if (code.test(name)) unknown.push(`${name}=${value?.text ?? "(…)"}`);
  }
  for (const { words } of runs.flatMap(({ forms }) => forms)) {
    const [name] = words;
    if (name !== undefined && !name.isStatic) unknown.push(name.text);
  }
  return {
    runs: [...runs, ...reached.flatMap((one) => one.runs)],
    redirections: [...shell.redirections, ...reached.flatMap((one) => one.redirections)],
    unknown: [...unknown, ...reached.flatMap((one) => one.unknown)],
  };
}

/** Variables whose text bash takes for code, or for the name of a file of it. */
const code = /^(?:PS[04]|PROMPT_COMMAND|BASH_ENV|ENV)$/;

import { readShell } from "../../shell/read-shell.ts";
import type { ShellWord } from "../../shell/shell-word.ts";
import type { Shell, SimpleCommand } from "../../shell/shell.ts";
import { runnableForms, type Form } from "./forms.ts";

/** Everything that a command line may run, also through text that something in it takes for code. */
export interface Reach {
  /** Each with its forms, those inside evaluated text too. */
  readonly runs: readonly { readonly command: SimpleCommand; readonly forms: readonly Form[] }[];
  /** What may run anything at all, as it stands. */
  readonly unknown: readonly string[];
}

export function reachOf(shell: Shell, depth = 0): Reach {
  const runs = shell.commands.map((command) => ({ command, forms: runnableForms(command) }));
  const unknown: string[] = shell.hidesCode ? [...shell.opaque] : [];
  const inner = runs.flatMap(({ forms }) => forms.flatMap(({ words }) => evaluatedBy(words)));
  const reached = inner.map((code): Reach => {
    const text = code.every(({ isStatic }) => isStatic)
      ? code.map((one) => one.text).join(" ")
      : null;
    const read = text === null || depth >= 3 ? null : readShell(text);
    if (read?.readable !== true)
      return { runs: [], unknown: [code.map((one) => one.text).join(" ")] };
    return reachOf(read.shell, depth + 1);
  });
  for (const { words } of runs.flatMap(({ forms }) => forms)) {
    const [name] = words;
    if (name !== undefined && !name.isStatic) unknown.push(name.text);
  }
  return {
    runs: [...runs, ...reached.flatMap((one) => one.runs)],
    unknown: [...unknown, ...reached.flatMap((one) => one.unknown)],
  };
}

const shells = /^(?:ba|da|z|k|a)?sh$/;

/** The texts that a command takes for shell code. */
function evaluatedBy(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const [name, ...args] = words;
  if (name?.isStatic !== true || args.length === 0) return [];
  if (name.text === "eval" || name.text === "watch") {
    return [args.filter(({ text }, at) => at > 0 || !text.startsWith("-"))];
  }
  if (name.text === "trap") return [args.filter(({ text }) => !text.startsWith("-")).slice(0, 1)];
  if (name.text === "env") return afterFlag(args, /^-\w*S$|^--split-string$/);
  if (shells.test(name.text) || /^(?:su|flock|script)$/.test(name.text))
    return afterFlag(args, /^-\w*c$|^--command$/);
  return [];
}

function afterFlag(args: readonly ShellWord[], flag: RegExp): (readonly ShellWord[])[] {
  const at = args.findIndex(({ text }) => flag.test(text));
  const code = at === -1 ? undefined : args[at + 1];
  return code === undefined ? [] : [[code]];
}

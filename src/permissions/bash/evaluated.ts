import { readShell } from "../../shell/grammar.ts";
import { secondLook } from "../../shell/second-look.ts";
import type { Redirection, Shell, SimpleCommand } from "../../shell/shell.ts";
import { evaluatedBy } from "./evaluated-text.ts";
import { runnableForms, type Form } from "./forms.ts";

/** Everything that a command line may run, also through text that something in it takes for code. */
export interface Reach {
  /** Each with its forms, those inside evaluated text too. */
  readonly runs: readonly { readonly command: SimpleCommand; readonly forms: readonly Form[] }[];
  /** The redirections of the line and of evaluated text. */
  readonly redirections: readonly Redirection[];
  /** Parts that may run anything at all, as they stand. */
  readonly unknown: readonly string[];
}

/** The reach of a command, or of text that something takes for one. An opaque one may run anything. */
export function reachOf(command: string, depth = 0): Reach {
  const read = readShell(command);
  if (read.readable) return reachOfShell(read.shell, depth);
  const seen = secondLook(command);
  const reach = seen === null ? null : reachOfShell(seen, depth);
  return {
    runs: reach?.runs ?? [],
    redirections: reach?.redirections ?? [],
    unknown: [command],
  };
}

function reachOfShell(shell: Shell, depth: number): Reach {
  const runs = shell.commands.map((command) => ({ command, forms: runnableForms(command) }));
  const inner = runs.flatMap(({ forms }) => forms.flatMap(({ words }) => evaluatedBy(words)));
  const reached = inner.slice(0, mostEvaluated).map((parts): Reach => {
    const text = parts.map((one) => one.text).join(" ");
    const isStatic = parts.every((one) => one.isStatic);
    return isStatic && depth < 3
      ? reachOf(text, depth + 1)
      : { runs: [], redirections: [], unknown: [text] };
  });
  const programs = runs.flatMap(({ forms }) => forms.flatMap(({ words: [name] }) => name ?? []));
  const open = programs.filter(({ isStatic }) => !isStatic).map(({ text }) => text);
  const more = inner.length > mostEvaluated ? ["…"] : [];
  return {
    runs: [...runs, ...reached.flatMap((one) => one.runs)],
    redirections: [...shell.redirections, ...reached.flatMap((one) => one.redirections)],
    unknown: [...open, ...more, ...reached.flatMap((one) => one.unknown)],
  };
}

/** Texts of one command that are read in turn; a command with more may run anything. */
const mostEvaluated = 16;

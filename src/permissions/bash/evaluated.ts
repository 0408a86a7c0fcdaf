import { readShell } from "../shell/grammar.ts";
import { secondLook } from "../shell/second-look.ts";
import type { Redirection, Shell, SimpleCommand } from "../shell/shell.ts";
import { evaluatedBy } from "./evaluated-text.ts";
import { steeredGit } from "./git/git-environment.ts";
import { runnableForms, type Form } from "./forms.ts";
import { writtenCommand } from "./written-command.ts";

/** Everything that a command line may run, also through text that something in it takes for code. */
export interface Reach {
  /** Each with its forms, those inside evaluated text too. */
  readonly runs: readonly { readonly command: SimpleCommand; readonly forms: readonly Form[] }[];
  /** The redirections of the line and of evaluated text. */
  readonly redirections: readonly Redirection[];
  /** The texts of here-documents, which a program may take for code. */
  readonly documents: readonly string[];
  /** Parts that may run anything at all, as they stand. */
  readonly unknown: readonly string[];
}

/** How many texts of a command are read in turn, all in all; one with more may run anything. */
interface Budget {
  texts: number;
}

/** The reach of a command, or of text that something takes for one. An opaque one may run anything. */
export function reachOf(command: string, budget: Budget = { texts: 8 }): Reach {
  const read = readShell(command);
  if (read.readable) return reachOfShell(read.shell, budget);
  const seen = secondLook(command);
  const reach = seen === null ? null : reachOfShell(seen, budget);
  return {
    runs: reach?.runs ?? [],
    redirections: reach?.redirections ?? [],
    documents: reach?.documents ?? [],
    unknown: [command],
  };
}

function reachOfShell(shell: Shell, budget: Budget): Reach {
  const runs = shell.commands.map((command) => ({ command, forms: runnableForms(command) }));
  const inner = runs.flatMap(({ forms }) => forms.flatMap(({ words }) => evaluatedBy(words)));
  const reached = inner.map((parts): Reach => {
    const text = parts.map((one) => one.text).join(" ");
    budget.texts -= 1;
    return parts.every((one) => one.isStatic) && budget.texts >= 0
      ? reachOf(text, budget)
      : { runs: [], redirections: [], documents: [], unknown: [text] };
  });
  const programs = runs.flatMap(({ forms }) => forms.flatMap(({ words: [name] }) => name ?? []));
  const open = programs.filter(({ isStatic }) => !isStatic).map(({ text }) => text);
  const all = [...runs, ...reached.flatMap((one) => one.runs)];
  return {
    runs: all,
    redirections: [...shell.redirections, ...reached.flatMap((one) => one.redirections)],
    documents: [...shell.documents, ...reached.flatMap((one) => one.documents)],
    unknown: [
      ...open,
      ...reached.flatMap((one) => one.unknown),
      ...steeredGit(all).map(writtenCommand),
    ],
  };
}

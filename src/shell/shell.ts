import type { RedirectOperator } from "unbash";
import type { ShellWord } from "./shell-word.ts";

/** Everything that a shell command could run and write, as far as its text tells. */
export interface Shell {
  /** Every simple command, wherever it stands, in the order of the text. */
  readonly commands: readonly SimpleCommand[];
  /** Every redirection, of simple commands and of groups. */
  readonly redirections: readonly Redirection[];
  /** Places where bash takes text for code that cannot be read here, as they stand. */
  readonly opaque: readonly string[];
  /** Some text that is only data here looks like code: it may become code in one of the opaque places. */
  readonly hidesCode: boolean;
  /** Some part may run more than once: it stands in a loop or in a function. */
  readonly repeats: boolean;
}

export interface SimpleCommand {
  /** Its name and arguments; none: it only assigns. */
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  /** It calls a function that the same text defines for certain, whose body is checked where it stands. */
  readonly callsFunction: boolean;
}

export interface ShellAssignment {
  readonly name: string;
  /** `null`: a list. */
  readonly value: ShellWord | null;
  readonly appends: boolean;
}

export interface Redirection {
  readonly operator: RedirectOperator;
  readonly target: ShellWord;
  readonly effect: "read" | "write" | "descriptor";
}

/** The command as people read it, on one line. */
export function commandText({ assignments, words }: SimpleCommand): string {
  const set = assignments.map(({ name, value }) => `${name}=${value?.text ?? "(…)"}`);
  return [...set, ...words.map(({ text }) => text)].join(" ");
}

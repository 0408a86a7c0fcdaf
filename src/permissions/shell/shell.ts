import type { ShellWord } from "./shell-word.ts";

/** Everything that a shell command could run, read and write, as far as its text tells. */
export interface Shell {
  /** Every simple command, wherever it stands, in the order of the text. */
  readonly commands: readonly SimpleCommand[];
  /** Every redirection, of simple commands and of groups. */
  readonly redirections: readonly Redirection[];
  /** The texts of its here-documents. */
  readonly documents: readonly string[];
  /** Some part may run more than once: it stands in a loop or a function. */
  readonly repeats: boolean;
  /** Some part may run on when the command has ended: it stands before `&`. */
  readonly runsOn: boolean;
  /** The commands that may. */
  readonly runningOn: readonly SimpleCommand[];
}

export interface SimpleCommand {
  /** The program and its arguments; none: the command only assigns. */
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  /** The output goes into a pipe, a file or a word, where other parts may find it. */
  readonly outputGoesOn?: true;
}

export interface ShellAssignment {
  readonly name: string;
  /** `null`: not a single word. */
  readonly value: ShellWord | null;
}

export interface Redirection {
  /** The operator as written, without the file. */
  readonly operator: string;
  readonly target: ShellWord;
  readonly effect: "read" | "write" | "descriptor";
}

/** The command on one line, as people read it. */
export function commandText({ assignments, words }: SimpleCommand): string {
  const set = assignments.map(({ name, value }) => `${name}=${value?.text ?? "(…)"}`);
  return [...set, ...words.map(({ text }) => text)].join(" ");
}

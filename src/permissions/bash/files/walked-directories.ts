import type { ShellWord } from "../../shell/shell-word.ts";
import type { Reach } from "../evaluated.ts";
import { writtenCommand } from "../written-command.ts";
import { fileUse } from "./file-use.ts";
import { mentionedFiles } from "./mentioned-files.ts";

/** A word that may name a directory whose files some part reads, moves or finds, and that part. */
export interface WalkedWord {
  readonly word: ShellWord;
  readonly part: string;
}

/** Directories that a program walks, and whatever unknown programs are given: they may walk it. */
export function walkedWords({ runs }: Reach): WalkedWord[] {
  return runs.flatMap(({ command, forms }) => {
    const part = writtenCommand(command);
    const words = forms.flatMap((form) => {
      const { walks, reads, whole = [], copies } = fileUse(form);
      const finds = form.words[0]?.text === "find";
      // The root alone is a sign, and a place in containers and on other machines.
      const mentioned = mentionedFiles(form).filter(({ text }) => text !== "/");
      const walked = walks === null || finds ? reads : walks;
      return [...walked, ...whole, ...(copies?.from ?? []), ...mentioned];
    });
    return [...new Set(words)].map((word) => ({ word, part }));
  });
}

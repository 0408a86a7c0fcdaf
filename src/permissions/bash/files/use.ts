import type { ShellWord } from "../../shell/shell-word.ts";

/** Which arguments of a command are files that it reads, and which ones it writes. */
export interface FileUse {
  readonly reads: readonly ShellWord[];
  readonly writes: readonly ShellWord[];
  /** Directories whose files it shows, however deep; `null`: it may show any file. */
  readonly walks: readonly ShellWord[] | null;
  /** Files and directories that it moves or removes, with all that is in them. */
  readonly whole?: readonly ShellWord[];
  /** The words that must be paths for the command to show tracked files only. */
  readonly ifPaths?: readonly ShellWord[];
  /** An option makes it write files with other names, which nobody can tell. */
  readonly writesAnywhere?: true;
  /** A pattern of its own names the files that it writes. */
  readonly writesComputed?: true;
  /** The input names the files that it writes. */
  readonly namesFromInput?: true;
  /** Directories that it copies or moves with all that is in them. */
  readonly copies?: { readonly from: readonly ShellWord[]; readonly to: ShellWord };
}

export const nothing: FileUse = { reads: [], writes: [], walks: [] };

/** Whether the paths of a word are known, or can be looked up. */
export function isKnownPath({ isStatic, isGlob, belowHome }: ShellWord): boolean {
  return isStatic || isGlob || belowHome !== null;
}

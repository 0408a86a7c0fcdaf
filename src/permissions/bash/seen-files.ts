import type { PathPair } from "../policy.ts";
import type { ShellWord } from "../shell/shell-word.ts";

/** A file that some part of a command line reads or writes. */
export interface TouchedFile {
  readonly pair: PathPair;
  readonly effect: "read" | "write";
  /** The command that does it; `null`: a redirection. */
  readonly program: string | null;
  /** The command moves or removes the file with all that is in it. */
  readonly isWhole?: true;
  readonly part: string;
  /** The last run of the reach that does it; `null`: a redirection. */
  readonly at: number | null;
}

/** A part that reads or writes files of which not all are known. */
export interface UnknownFiles {
  readonly effect: "read" | "write";
  readonly part: string;
  /** The run of the reach; `null`: a redirection. */
  readonly at: number | null;
  /** The path is known and leads each process elsewhere: `/proc/self/cwd/x`. */
  readonly leadsAnywhere?: true;
  /** A word of the command names the file, and only running would tell its path. */
  readonly isComputed?: true;
  /** The files are those that git tracks, if these words are paths. */
  readonly ifPaths?: readonly ShellWord[];
  /** The directories into which it copies more than can be told, or links. */
  readonly into?: readonly PathPair[];
}

/** A file that some part may show, because it walks a directory or has its name for an argument. */
export interface ShownFile {
  readonly pair: PathPair;
  readonly part: string;
}

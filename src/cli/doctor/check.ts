import type { Bubblewrap } from "../../platform/sandbox/bubblewrap.ts";

/** One row of a check's findings. */
export interface DoctorFinding {
  /** `problem`: something does not work, or a crash left something; `warning`: good to know, nothing is broken. */
  readonly status: "ok" | "warning" | "problem";
  readonly what: string;
  /** A command to run or a change to make; absent where all is well. */
  readonly remedy?: string;
  /** The path or process that `fix` of the check would remove. */
  readonly leak?: string;
}

/** The environment that checks examine. Checks use no other input. */
export interface DoctorContext {
  readonly configDir: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly temporaryDir: string;
  /** Directories in which processes make their control sockets. */
  readonly socketDirs: readonly string[];
  /** Orphans. Left out: they are not looked for. */
  readonly orphans?: {
    find(): Promise<readonly { readonly pid: number; readonly command: string }[]>;
    /** Ends all processes that `find` would find, and resolves when they are gone. */
    reap(): Promise<unknown>;
  };
  /** The sandbox program, or why there is none. Left out: this machine's own. */
  readonly bubblewrap?: () => Promise<Bubblewrap>;
  /** Reports the problems of a transcript and changes nothing. Left out: the lines are not checked. */
  readonly inspectTranscript?: (
    path: string,
  ) => Promise<{ readonly bad: readonly { readonly line: number }[]; readonly torn: number }>;
}

/** One check. An error that it throws is reported as a problem of its own. */
export interface DoctorCheck {
  readonly name: string;
  look(ground: DoctorContext): Promise<DoctorFinding[]>;
  /** Removes one leak that `look` found, if it still is one. Never a transcript. */
  fix?(leak: string, ground: DoctorContext): Promise<void>;
}

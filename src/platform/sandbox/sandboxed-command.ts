/** A command that is about to run in a sandbox. */
export interface SandboxCall {
  readonly id: string;
  readonly command: string;
  /** Directory in which the command starts. */
  readonly cwd: string;
  /** Directory of the call: it contains the prelude, and commands may write there. */
  readonly directory: string;
  readonly prelude: string;
  /** Environment of the command. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** The start of a sandboxed command, and its report afterwards. */
export interface SandboxedCommand {
  readonly file: string;
  /** Arguments. The exit code arrives on descriptor 3, before the sandbox itself ends. */
  readonly args: readonly string[];
  /** Called once, when the sandbox has ended or could not be started. */
  readonly ended: () => void;
  /**
   * Lines about actions that the sandbox prevented, each with the remedy for the user. `exitCode`: none after a
   * timeout.
   */
  readonly notes: (exitCode: number | undefined, printed: () => string) => string[];
}

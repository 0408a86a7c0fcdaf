/** A command that is about to run in a sandbox. */
export interface SandboxCall {
  readonly id: string;
  readonly command: string;
  /** Where it starts. */
  readonly cwd: string;
  /** The call's own directory: it holds the prelude, and commands may write there. */
  readonly directory: string;
  readonly prelude: string;
  /** The environment that it will be started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** How it is started, and what is to be known afterwards. */
export interface SandboxedCommand {
  readonly file: string;
  /** The exit code arrives on descriptor 3, before the sandbox itself ends. */
  readonly args: readonly string[];
  /** To be called once, when the sandbox has ended or could not be started. */
  readonly ended: () => void;
  /** Lines about what the sandbox has prevented, each with the remedy for the user. `exitCode`: none after a timeout. */
  readonly notes: (exitCode: number | undefined, printed: () => string) => string[];
}

import { errorMessage, RetinueError } from "../contract/errors.ts";

/** The error of a session that cannot write to disk. `what` begins the sentence: `The log /x`. */
export function unwritable(what: string, error: unknown): RetinueError {
  return new RetinueError(
    "storage",
    `${what} cannot be written (${errorMessage(error)}). Free space, or set CLAUDE_CONFIG_DIR to a directory that you may write to.`,
    { cause: error },
  );
}

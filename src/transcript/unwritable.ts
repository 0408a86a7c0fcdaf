import { errorMessage, RetinueError } from "../contract/errors.ts";

/** A session finds no place on disk. `what` begins the sentence: `The log /x`. */
export function unwritable(what: string, error: unknown): RetinueError {
  return new RetinueError(
    "storage",
    `${what} cannot be written (${errorMessage(error)}). Free space, or set CLAUDE_CONFIG_DIR to a directory that you may write to.`,
    { cause: error },
  );
}

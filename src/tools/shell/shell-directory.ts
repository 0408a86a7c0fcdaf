import { constants } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { ToolFailure } from "../tool.ts";
import type { Workbench } from "../workbench.ts";

/**
 * Makes sure that the shell is in the directory that the decision assumed. If that is gone, the command does not run.
 */
export async function enter(workbench: Workbench): Promise<void> {
  if (await isDirectory(workbench.cwd)) return;
  if (!(await isDirectory(workbench.root))) {
    throw new ToolFailure(
      `The working directory ${workbench.root} does not exist any more. Report this and stop.`,
    );
  }
  const missing = workbench.cwd;
  workbench.cwd = workbench.root;
  throw new ToolFailure(
    `${missing} does not exist any more, so the command did not run. The shell is now in ${workbench.root}: send the call again if it makes sense there.`,
  );
}

/** Keeps the directory in which a command left the shell, if that is inside. Returns a note about it, if any. */
export async function leave(workbench: Workbench, file: string): Promise<string | undefined> {
  const text = await readReport(file).catch(() => undefined);
  if (text === undefined) return undefined;
  const directory = text.replace(/\n$/, "");
  const inside = relative(await realpath(workbench.root).catch(() => workbench.root), directory);
  if (directory !== "" && !isAbsolute(inside) && !/^\.\.(?:\/|$)/.test(inside)) {
    workbench.cwd = join(workbench.root, inside);
    return undefined;
  }
  workbench.cwd = workbench.root;
  const reason =
    directory === ""
      ? "The shell's directory was deleted"
      : `${directory} is outside the working directory`;
  return `[${reason}; the next command runs in ${workbench.root}]`;
}

/**
 * Reads the report. The command could have put anything there: a link to a file it may not read, or an endless pipe.
 */
async function readReport(file: string): Promise<string | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  await using handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const found = await handle.stat();
  return found.isFile() && found.size <= longestPath ? handle.readFile("utf8") : undefined;
}

const longestPath = 4097;

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

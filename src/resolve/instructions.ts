import { existsSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Attachment } from "../message.ts";
import { directoriesUpToRoot } from "../platform/git.ts";

const largestFile = 256 * 1024;

/** CLAUDE.md of the user and of every directory from the repository's root down to `cwd`; AGENTS.md where there is none. */
export async function readInstructions(cwd: string, configDir: string): Promise<Attachment | null> {
  const directories = directoriesUpToRoot(cwd).toReversed();
  const root = directories[0] ?? cwd;
  const own = directories.flatMap((directory) => instructionFile(directory));
  const parts = await Promise.all([
    readPart(join(configDir, "CLAUDE.md")),
    ...own.map((file) => readPart(file, root)),
  ]);
  const texts = parts.filter((part) => part !== undefined);
  return texts.length === 0 ? null : { type: "instructions", text: texts.join("\n\n") };
}

function instructionFile(directory: string): string[] {
  const found = ["CLAUDE.md", "AGENTS.md"].find((name) => existsSync(join(directory, name)));
  return found === undefined ? [] : [join(directory, found)];
}

/**
 * A repository must not be able to send other files to the model through a link, nor to hang us with a pipe: only a
 * regular file counts, and below `root` when there is one.
 */
async function readPart(file: string, root?: string): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    const real = await realpath(file);
    if (root !== undefined && relative(await realpath(root), real).startsWith(".."))
      return undefined;
    const info = await stat(real);
    if (!info.isFile()) return undefined;
    const text = (await readFile(real, "utf8")).slice(0, largestFile).toWellFormed().trim();
    return text === "" ? undefined : `Instructions from ${file}:\n\n${text}`;
  } catch {
    return undefined;
  }
}

import { existsSync } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { escapeName } from "../contract/escape-tags.ts";
import type { Attachment } from "../contract/message.ts";
import { isInside } from "../platform/files/is-inside.ts";

const largestFile = 256 * 1024;
const names = ["CLAUDE.md", "AGENTS.md"];

/** Reads CLAUDE.md of the user and of every directory, the outermost first; AGENTS.md where there is none. */
export async function readInstructions(
  directories: readonly string[],
  configDir: string,
): Promise<Attachment | null> {
  const root = directories.at(-1);
  const own = directories.toReversed().flatMap((directory) => instructionFile(directory));
  const parts = await Promise.all([
    readPart(join(configDir, "CLAUDE.md")),
    ...own.map((file) => readPart(file, root)),
  ]);
  const texts = parts.filter((part) => part !== undefined);
  return texts.length === 0 ? null : { type: "instructions", text: texts.join("\n\n") };
}

function instructionFile(directory: string): string[] {
  const found = names.find((name) => existsSync(join(directory, name)));
  return found === undefined ? [] : [join(directory, found)];
}

/**
 * Reads one file of instructions. A repository must not be able to send other files to the model through a link, nor to
 * hang us with a pipe: only a regular file counts, below `root` if there is one, and a link only to another file of
 * instructions.
 */
async function readPart(file: string, root?: string): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    const real = await realpath(file);
    if (root !== undefined) {
      if (!isInside(await realpath(root), real)) return undefined;
      if (!names.includes(basename(real))) return undefined;
    }
    if (!(await stat(real)).isFile()) return undefined;
    await using handle = await open(real);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(largestFile), 0, largestFile, 0);
    const text = buffer.toString("utf8", 0, bytesRead).toWellFormed().trim();
    return text === "" ? undefined : `Instructions from ${escapeName(file)}:\n\n${text}`;
  } catch {
    return undefined;
  }
}

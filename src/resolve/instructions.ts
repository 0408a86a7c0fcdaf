import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Attachment } from "../message.ts";
import { directoriesUpToRoot } from "../platform/git.ts";

/** CLAUDE.md of the user and of every directory from the repository's root down to `cwd`; AGENTS.md where there is none. */
export async function readInstructions(cwd: string, configDir: string): Promise<Attachment | null> {
  const files = [
    join(configDir, "CLAUDE.md"),
    ...directoriesUpToRoot(cwd).toReversed().flatMap(instructionFile),
  ];
  const texts = await Promise.all(files.map(readOptional));
  const parts = texts.flatMap((text, index) => {
    const body = text?.trim();
    return body === undefined || body === ""
      ? []
      : [`Instructions from ${files[index] ?? ""}:\n\n${body}`];
  });
  return parts.length === 0 ? null : { type: "instructions", text: parts.join("\n\n") };
}

function instructionFile(directory: string): string[] {
  const found = ["CLAUDE.md", "AGENTS.md"].find((name) => existsSync(join(directory, name)));
  return found === undefined ? [] : [join(directory, found)];
}

async function readOptional(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch {
    return undefined;
  }
}

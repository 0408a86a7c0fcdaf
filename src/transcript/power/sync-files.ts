import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../../contract/errors.ts";
import { filesAtOnce, mapAtMost } from "../../platform/gate.ts";

/** Puts what these files hold on the disk itself. One that is gone needs nothing. Throws the file system's error. */
export async function syncFiles(paths: readonly string[]): Promise<void> {
  await mapAtMost(filesAtOnce, paths, syncFile);
}

async function syncFile(path: string): Promise<void> {
  try {
    await using file = await open(path, "r");
    await file.datasync();
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** Makes the names of files in a directory last, and those of the directories above it. */
export function syncDirectories(path: string): void {
  for (let directory = path; ; directory = dirname(directory)) {
    syncDirectory(directory);
    if (dirname(directory) === directory) return;
  }
}

export function syncDirectory(path: string): void {
  try {
    const directory = openSync(path, "r");
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  } catch {
    // Some file systems cannot, and some directories above ours are not ours to open: they were there before.
  }
}

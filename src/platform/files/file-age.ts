import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * The age of a file in milliseconds, by the clock of its file system. Machines that share one need not agree on the
 * time, so a file made in `directory`, on the same file system, tells the time there. Absent where none can be made, or
 * the file is gone.
 */
export function fileAge(path: string, directory: string): number | undefined {
  const clock = join(directory, `.retinue-clock-${randomUUID()}`);
  try {
    const { mtimeMs } = statSync(path);
    const file = openSync(clock, "wx", 0o600);
    try {
      return fstatSync(file).mtimeMs - mtimeMs;
    } finally {
      closeSync(file);
      rmSync(clock, { force: true });
    }
  } catch {
    return undefined;
  }
}

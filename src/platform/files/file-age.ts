import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * How long ago a file was written, in milliseconds, by the clock of its file system: machines that share one need not agree
 * on the time, so a file that is made in `directory`, on the same file system, tells what time it is there. Nothing where
 * none can be made, or the file is gone.
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

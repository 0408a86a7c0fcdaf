import { createHash } from "node:crypto";
import { closeSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { RetinueError, systemCode } from "../errors.ts";
import { openInPrivateDirectory } from "./make-directory.ts";
import { processStart } from "./process-table.ts";

const patience = 10_000;
const pause = 10;

/**
 * Does work on a file that other processes of ours change too, one after the other. The lock lies in a directory of our
 * own, so that nothing is left in a project; one whose process is gone is taken over. Throws `storage` when another
 * process keeps it for long, and what `work` throws.
 */
export async function withFileLock<Result>(
  target: { file: string; lockDir: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const name = createHash("sha256").update(target.file).digest("hex").slice(0, 32);
  const lock = join(target.lockDir, `${name}.lock`);
  const until = performance.now() + patience;
  while (!take(lock)) {
    const owner = ownerOf(lock);
    if (owner === "gone") rmSync(lock, { force: true });
    else if (performance.now() < until) await setTimeout(pause * (1 + Math.random()));
    else
      throw new RetinueError(
        "storage",
        `${target.file} is being changed by another process (${owner}). Try again when it has ended, or remove ${lock}.`,
      );
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  try {
    const file = openInPrivateDirectory(lock, "wx");
    try {
      writeSync(file, `${process.pid} ${processStart(process.pid)}`);
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** `gone`: it was taken by a process that is not there any more. */
function ownerOf(lock: string): string {
  let text: string;
  try {
    text = readFileSync(lock, "utf8");
  } catch {
    return "unknown";
  }
  const [pid = "", ...start] = text.split(" ");
  // It is empty for the instant between being made and being written.
  if (!/^\d+$/.test(pid)) return "unknown";
  return processStart(Number(pid)) === start.join(" ") ? `process ${pid}` : "gone";
}

import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  readFileSync,
  readSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../../contract/errors.ts";
import { isInside } from "../../platform/files/is-inside.ts";
import { decodeRecords, removed, type JournalRecord } from "./journal-record.ts";
import { dropJournal, keptAway } from "./journal-removals.ts";
import { openInPrivateDirectory } from "../../platform/files/make-directory.ts";
import { syncDirectory } from "./sync-files.ts";
import { writeWhole } from "../../platform/files/write-whole.ts";

/**
 * Gives files back what a power cut took from them, puts them on the disk and removes the journal. Files that have
 * everything are not changed. Returns those that lacked something. Whoever opens a directory calls it before anything
 * there is read or written. Throws the file system's error; then the journal stays.
 */
export function replayJournal({ path, root }: { path: string; root: string }): string[] {
  const journal = readIfThere(path);
  if (journal === undefined) return [];
  const away = keptAway(path);
  const mended: string[] = [];
  const directories = new Set<string>();
  for (const [name, records] of byFile(journal)) {
    const target = join(root, name);
    if (!isInside(root, target) || (away.has(name) && !existsSync(target))) continue;
    if (replayInto(target, records)) mended.push(target);
    directories.add(dirname(target));
  }
  for (const directory of directories) syncDirectory(directory);
  dropJournal(path);
  return mended;
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Of whole contents only the last counts; a removal is one. */
function byFile(journal: Buffer): Map<string, JournalRecord[]> {
  const files = new Map<string, JournalRecord[]>();
  for (const record of decodeRecords(journal)) {
    const before = files.get(record.file);
    if (record.at === null || before === undefined) files.set(record.file, [record]);
    else before.push(record);
  }
  return files;
}

const writing = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;

function replayInto(target: string, records: readonly JournalRecord[]): boolean {
  const [first, ...since] = records;
  if (first?.at === null && first.bytes.length === removed.length) {
    rmSync(target, { force: true });
    return since.length > 0 && replayInto(target, since);
  }
  const file = openInPrivateDirectory(target, writing);
  try {
    let changed = false;
    for (const { at, bytes } of records) {
      if (holds(file, at ?? 0, bytes)) continue;
      writeWhole(file, bytes, at ?? 0);
      if (at === null) ftruncateSync(file, bytes.length);
      changed = true;
    }
    fdatasyncSync(file);
    return changed;
  } finally {
    closeSync(file);
  }
}

function holds(file: number, at: number, bytes: Uint8Array): boolean {
  if (fstatSync(file).size < at + bytes.length) return false;
  const present = Buffer.allocUnsafe(bytes.length);
  return readSync(file, present, 0, bytes.length, at) === bytes.length && present.equals(bytes);
}

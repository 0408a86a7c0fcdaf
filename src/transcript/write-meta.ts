import { closeSync, openSync } from "node:fs";
import { replaceWhole, writeAnew } from "../platform/files/replace-whole.ts";
import { writeWhole } from "../platform/files/write-whole.ts";
import type { AgentMeta } from "./meta.ts";

/** Bytes reserved so that the end of an agent fits on a disk that has become full. */
const roomForTheEnd = 1280;
const block = 1024;

/**
 * Writes a meta file: made with the first write, later overwritten in place by one `write(2)`, padded with blanks to
 * its old length. Making and renaming a file each time costs more than all the rest. A reader that looks in that
 * instant looks again. Text that no longer fits goes to a new file that replaces the old one, because a full disk would
 * tear the old one. `length` is the result of the last call, 0 for the first. Throws the file system's error; the file
 * is unchanged then.
 */
export function writeMeta(path: string, meta: AgentMeta, length: number): number {
  const json = JSON.stringify(meta);
  const size = Buffer.byteLength(json) + 1;
  if (size <= length) return overwrite(path, padded(json, length - size));
  try {
    return replaceWhole(path, roomy(json));
  } catch (error) {
    const shorter = length === 0 ? undefined : cutToFit(meta, size - length);
    if (shorter === undefined) throw error;
    return writeMeta(path, shorter, length);
  }
}

/** The name of a new meta file until it replaces the old one. */
export function draftOf(path: string): string {
  return `${path}.new`;
}

/**
 * Writes the meta file that will replace the one at `path`, and returns its length. A power cut may tear a file that is
 * overwritten in place; a second file costs more, but one of the two is always whole. Throws the file system's error.
 */
export function draftMeta(path: string, meta: AgentMeta): number {
  return writeAnew(draftOf(path), roomy(JSON.stringify(meta)));
}

function roomy(json: string): string {
  const size = Buffer.byteLength(json) + 1;
  const room = Math.ceil((size + roomForTheEnd) / block) * block;
  return padded(json, room - size);
}

function padded(json: string, blanks: number): string {
  return `${json}${" ".repeat(blanks)}\n`;
}

function overwrite(path: string, text: string): number {
  const file = openSync(path, "r+");
  try {
    return writeWhole(file, text, 0);
  } finally {
    closeSync(file);
  }
}

/** Cuts the error message of a failed agent to fit: its end matters more than the words about it. */
function cutToFit(meta: AgentMeta, excess: number): AgentMeta | undefined {
  const { end } = meta.retinue;
  if (end?.state !== "failed" || end.error.message === "") return undefined;
  const { error } = end;
  const bytes = Buffer.from(error.message);
  // A message of plain characters can be cut to measure; any other is dropped.
  const kept =
    bytes.length === JSON.stringify(error.message).length - 2 ? bytes.length - excess : 0;
  const message = kept > 0 ? bytes.toString("utf8", 0, kept) : "";
  return { ...meta, retinue: { ...meta.retinue, end: { ...end, error: { ...error, message } } } };
}

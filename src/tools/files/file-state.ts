import { hash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { diffChars } from "diff";
import { LRUCache } from "lru-cache";
import { errorMessage, systemCode } from "../../contract/errors.ts";
import type { AgentId } from "../../contract/ids.ts";
import { holdDirectory } from "../../platform/files/hold-directory.ts";
import { PathChanged } from "../../platform/files/open-decided.ts";
import { ToolFailure, type ToolContext } from "../tool.ts";

/**
 * Files that one agent has read, by real path, so that it never overwrites what it has not seen. Content is remembered
 * as a hash: a session may run hundreds of agents, a touched file has not changed, and a change within the clock's tick
 * has.
 */
export class FileState {
  /** The hundred files used last, the latest at the end. */
  readonly #seen = new Map<string, { hash: string; lines: number }>();

  sawAll(path: string, hash: string): void {
    this.#remember(path, { hash, lines: Infinity });
  }

  /** Records a page. Pages add up to the whole file, as long as the file stays the same. */
  sawLines(path: string, hash: string, page: { from: number; to: number; total: number }): void {
    const before = this.#seen.get(path);
    let lines = before?.hash === hash ? before.lines : 0;
    if (page.from <= lines + 1) lines = Math.max(lines, page.to);
    this.#remember(path, { hash, lines: lines >= page.total ? Infinity : lines });
  }

  /** Records a change of a part of the file: the agent knows the result as far as it knew the file. */
  changedPart(path: string, hash: string): void {
    this.#remember(path, { hash, lines: this.#seen.get(path)?.lines ?? 0 });
  }

  recall(path: string): { hash: string; extent: "whole" | "partial" } | undefined {
    const seen = this.#seen.get(path);
    if (seen !== undefined) this.#remember(path, seen);
    return seen && { hash: seen.hash, extent: seen.lines === Infinity ? "whole" : "partial" };
  }

  clear(): void {
    this.#seen.clear();
  }

  #remember(path: string, seen: { hash: string; lines: number }): void {
    this.#seen.delete(path);
    this.#seen.set(path, seen);
    const [oldest] = this.#seen.size > 100 ? this.#seen.keys() : [];
    if (oldest !== undefined) this.#seen.delete(oldest);
  }
}

interface FileChange {
  agentId: AgentId;
  agentType: string;
  /** Hash of the content that the agent left. Any other content on disk is another writer's work. */
  hash: string;
}

/** The session's record of which agent last changed which file, by real path. Changes of one file take turns. */
export class FileLedger {
  readonly #changes = new LRUCache<string, FileChange>({ max: 10_000 });
  readonly #turns = new Map<string, Promise<void>>();

  record(path: string, change: FileChange): void {
    this.#changes.set(path, change);
  }

  lastChange(path: string): FileChange | undefined {
    return this.#changes.get(path);
  }

  /** Runs one change at a time per file: a check must still be true when the agent writes. */
  async inTurn<Result>(path: string, change: () => Promise<Result>): Promise<Result> {
    const result = (this.#turns.get(path) ?? Promise.resolve()).then(change);
    const turn = result.then(
      () => {},
      () => {},
    );
    this.#turns.set(path, turn);
    try {
      return await result;
    } finally {
      if (this.#turns.get(path) === turn) this.#turns.delete(path);
    }
  }
}

export function contentHash(content: string | Buffer): string {
  return hash("sha256", content);
}

/** Turns an error of the file system into a failure that a model can read. */
export function asToolFailure(error: unknown, what: string): ToolFailure {
  if (error instanceof ToolFailure) return error;
  if (error instanceof PathChanged) return new ToolFailure(error.message, { cause: error });
  const remedies: Record<string, string> = {
    EACCES: "Permission denied; ask the user, or use another file.",
    ENOTDIR: "A part of the path is a file, not a directory. Correct the path.",
    ELOOP: "Symlinks form a cycle. Name the file itself.",
  };
  const remedy = remedies[systemCode(error) ?? ""] ?? errorMessage(error);
  return new ToolFailure(`${what}: ${remedy}`, { cause: error });
}

/** The failure for a file that does not exist, with the names that may have been meant. */
export async function missingFile(
  path: string,
  { realPath, workbench: { cwd } }: Pick<ToolContext, "realPath" | "workbench">,
): Promise<ToolFailure> {
  const names = await namesIn(dirname(realPath(path)));
  if (names === undefined) {
    return new ToolFailure(
      `${path} does not exist, nor does its directory. Find it with Glob; the working directory is ${cwd}.`,
    );
  }
  const close = closeNames(basename(path), names).map((name) => resolve(dirname(path), name));
  return new ToolFailure(
    close.length > 0
      ? `${path} does not exist. Did you mean ${close.join(" or ")}?`
      : `${path} does not exist. Find it with Glob; the working directory is ${cwd}.`,
  );
}

async function namesIn(directory: string): Promise<string[] | undefined> {
  try {
    using held = holdDirectory(directory);
    return await readdir(held.at("."));
  } catch {
    return undefined;
  }
}

function closeNames(wanted: string, names: string[]): string[] {
  return names
    .slice(0, 1_000)
    .map((name) => ({ name, likeness: likeness(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter((candidate) => candidate.likeness >= 0.7)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, 3)
    .map((candidate) => candidate.name);
}

/** 1 for equal names, 0 for names without a common letter. */
function likeness(a: string, b: string): number {
  const common = diffChars(a, b)
    .filter((part) => !part.added && !part.removed)
    .reduce((sum, part) => sum + part.value.length, 0);
  return (2 * common) / (a.length + b.length);
}

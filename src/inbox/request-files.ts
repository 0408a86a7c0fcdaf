import { randomBytes } from "node:crypto";
import {
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  rmSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { errorMessage, systemCode } from "../contract/errors.ts";
import { writeFileAtomic } from "../platform/files/atomic-write.ts";
import { callBackSchema, type CallBack } from "../processes/call-back.ts";
import { makePrivateDirectory } from "../platform/files/make-directory.ts";
import { once } from "../platform/once.ts";
import { isGone, ownProcess } from "../processes/process-identity.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { inboxRequestSchema, type InboxRequest } from "./request.ts";

export const largestFile: number = 16 * 1024 * 1024;

/** An open request on disk, with the process that waits for the answer; its start, because process ids are used again. */
const storedSchema = once(() =>
  z.object({ request: inboxRequestSchema(), pid: z.number(), pidStart: z.string() }),
);

type Read<Value> =
  | { kind: "none" }
  /** A file that is not meant is there; a sentence without its full stop. */
  | { kind: "refused"; reason: string }
  | { kind: "value"; value: Value };

/**
 * The directory in which the open requests of a session lie, private like everything of the session. Files in it may come
 * from anybody who can write there: each is read with care, links never.
 */
export class RequestFiles {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Throws the file system's error. */
  async store(request: InboxRequest): Promise<void> {
    makePrivateDirectory(this.directory);
    chmodSync(this.directory, 0o700);
    const { pid, pidStart } = ownProcess();
    const stored = { request, pid, pidStart };
    const text = `${JSON.stringify(stored)}\n`;
    if (Buffer.byteLength(text) > largestFile)
      throw new Error(`its input is larger than ${largestFile / 1024 / 1024} MiB`);
    await writeFileAtomic(this.requestFile(request.id), text, { mode: 0o600 });
  }

  /** The request is settled: nothing about it stays. */
  remove(id: string): void {
    for (const file of [this.requestFile(id), this.wordFile(id)]) remove(file);
  }

  /** Whole requests only, in no order. */
  all(): { request: InboxRequest; pid: number; processEnded: boolean }[] {
    return namesIn(this.directory).flatMap((name) => {
      const id = /^(q[0-9a-f]{8})\.json$/.exec(name)?.[1];
      const read = id === undefined ? undefined : this.#read(this.requestFile(id), storedSchema());
      if (read?.kind !== "value" || read.value.request.id !== id) return [];
      const { request, pid, pidStart } = read.value;
      return [{ request, pid, processEnded: isGone({ pid, pidStart }) === true }];
    });
  }

  has(id: string): boolean {
    return lstatSync(this.requestFile(id), { throwIfNoEntry: false }) !== undefined;
  }

  /** Leaves word where the process that waits can call back for an answer; `false` when other word is already there. */
  leaveWord(id: string, at: CallBack): boolean {
    const temporary = join(this.directory, `.retinue-${randomBytes(8).toString("hex")}.tmp`);
    try {
      writeFileSync(temporary, `${JSON.stringify(at)}\n`, { flag: "wx", mode: 0o600 });
      // Unlike a rename, this does not replace what somebody else left.
      linkSync(temporary, this.wordFile(id));
      return true;
    } catch (error) {
      if (systemCode(error) === "EEXIST") return false;
      throw error;
    } finally {
      remove(temporary);
    }
  }

  /** Takes the word that somebody left, so that it is seen once. */
  takeWord(id: string): Read<CallBack> {
    const file = this.wordFile(id);
    const read = this.#read(file, callBackSchema());
    if (read.kind !== "none") remove(file);
    return read;
  }

  /** Withdraws the word: no call is expected any more. */
  takeBackWord(id: string, { address }: CallBack): void {
    const file = this.wordFile(id);
    const read = this.#read(file, callBackSchema());
    if (read.kind === "value" && read.value.address === address) remove(file);
  }

  requestFile(id: string): string {
    return join(this.directory, `${id}.json`);
  }

  wordFile(id: string): string {
    return join(this.directory, `${id}.answer.json`);
  }

  #read<Schema extends z.ZodType>(file: string, schema: Schema): Read<z.infer<Schema>> {
    const refused = (reason: string): Read<never> => ({ kind: "refused", reason });
    let info: Stats | undefined;
    try {
      info = lstatSync(file, { throwIfNoEntry: false });
    } catch (error) {
      return refused(`it cannot be looked at (${errorMessage(error)})`);
    }
    if (info === undefined) return { kind: "none" };
    if (!info.isFile()) return refused("it is not a regular file");
    if (process.getuid !== undefined && info.uid !== process.getuid())
      return refused("it belongs to another user");
    const read = readSmallFile(file, largestFile);
    if (read.kind === "missing") return { kind: "none" };
    if (read.kind === "refused") return read;
    try {
      return { kind: "value", value: schema.parse(JSON.parse(read.text)) };
    } catch {
      return refused("it is not valid JSON of the right shape");
    }
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Whoever may not remove it cannot be harmed by it either: it is read with the same care again.
  }
}

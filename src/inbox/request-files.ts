import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../platform/files/atomic-write.ts";
import { makePrivateDirectory } from "../platform/files/make-directory.ts";
import { once } from "../platform/once.ts";
import { ownProcess } from "../processes/process-identity.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { isRunBy } from "../transcript/lease/liveness.ts";
import { inboxRequestSchema, type InboxRequest } from "./request.ts";

const largestFile: number = 16 * 1024 * 1024;

/**
 * An open request on disk, with the process that waits for the answer; its start time, because process ids are reused.
 */
const storedSchema = once(() =>
  z.object({ request: inboxRequestSchema(), pid: z.number(), pidStart: z.string() }),
);

/**
 * The directory of a session's open requests, private like all files of the session. Its files are untrusted, because
 * other programs may write there: each is validated, and links are never followed.
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

  /** Removes every trace of a settled request. */
  remove(id: string): void {
    try {
      rmSync(this.requestFile(id), { force: true });
    } catch {
      // A file that we may not remove does no harm either: it is read with care.
    }
  }

  /** Complete requests only, in no order. */
  all(): { request: InboxRequest; pid: number; processEnded: boolean }[] {
    return namesIn(this.directory).flatMap((name) => {
      const id = /^(q[0-9a-f]{8})\.json$/.exec(name)?.[1];
      const stored = id === undefined ? undefined : readStored(this.requestFile(id));
      if (stored === undefined || stored.request.id !== id) return [];
      const { request, pid, pidStart } = stored;
      return [{ request, pid, processEnded: !isRunBy({ pid, pidStart }, dirname(this.directory)) }];
    });
  }

  requestFile(id: string): string {
    return join(this.directory, `${id}.json`);
  }
}

/** Reads a stored request; nothing if the file is missing, not ours, too large or of another shape. */
function readStored(file: string): z.infer<ReturnType<typeof storedSchema>> | undefined {
  try {
    const info = lstatSync(file);
    if (!info.isFile() || info.uid !== (process.getuid?.() ?? info.uid)) return undefined;
    const read = readSmallFile(file, largestFile);
    return read.kind === "text" ? storedSchema().parse(JSON.parse(read.text)) : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

import { constants } from "node:fs";
import { mkdir, open, readFile, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Appends JSON lines to one private file. A promise from `append` resolves when `write(2)` has returned for its
 * lines, so what was acknowledged survives `kill -9`. Lines that arrive while a write is under way go out together.
 */
export class JsonlWriter {
  readonly path: string;
  #handle: FileHandle | undefined;
  #size = 0;
  #pending: { text: string; done: PromiseWithResolvers<void> }[] = [];
  #writing: Promise<void> | undefined;

  constructor(path: string) {
    this.path = path;
  }

  append(values: readonly object[]): Promise<void> {
    if (values.length === 0) return Promise.resolve();
    const done = Promise.withResolvers<void>();
    this.#pending.push({
      text: values.map((value) => `${JSON.stringify(value)}\n`).join(""),
      done,
    });
    this.#writing ??= this.#writeAll();
    return done.promise;
  }

  /** Waits for what is under way and closes the file. A later `append` opens it again. */
  async close(): Promise<void> {
    await this.#writing;
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending;
      this.#pending = [];
      try {
        await this.#write(Buffer.from(batch.map((item) => item.text).join("")));
        for (const item of batch) item.done.resolve();
      } catch (error) {
        for (const item of batch) item.done.reject(error);
      }
    }
    this.#writing = undefined;
  }

  async #write(bytes: Buffer): Promise<void> {
    const handle = (this.#handle ??= await this.#open());
    try {
      await handle.appendFile(bytes);
      this.#size += bytes.length;
    } catch (error) {
      // A full disk may have taken half a line: cut it off, so that the file stays readable. If even that fails, the
      // next append opens the file anew and repairs it.
      await handle.truncate(this.#size).catch(() => {
        this.#handle = undefined;
        return handle.close();
      });
      throw error;
    }
  }

  async #open(): Promise<FileHandle> {
    const handle = await openForAppend(this.path);
    try {
      this.#size = await repairTail(handle);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

async function openForAppend(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  return open(path, flags, 0o600);
}

/** A crash can tear the last line. It was never acknowledged, so it is cut off. Returns the size that is left. */
async function repairTail(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const chunk = Buffer.alloc(64 * 1024);
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await handle.read(chunk, 0, end - start, start);
    const newline = chunk.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (newline !== -1) {
      end = start + newline + 1;
      break;
    }
    end = start;
  }
  if (end < size) await handle.truncate(end);
  return end;
}

/** Every whole line that holds a JSON object. A torn last line and lines that do not parse are passed over. */
export async function readJsonl(path: string): Promise<Record<string, unknown>[]> {
  return parseJsonl(await readFile(path, "utf8"));
}

export function parseJsonl(text: string): Record<string, unknown>[] {
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    try {
      const value = JSON.parse(line) as Record<string, unknown> | null;
      return typeof value === "object" && value !== null ? [value] : [];
    } catch {
      return [];
    }
  });
}

import { dirname } from "node:path";
import { advance, hasEnded, type AgentRecord } from "../../events/agent-record.ts";
import type { AgentEvent } from "../../events/event.ts";
import { Gate } from "../../platform/gate.ts";
import { processStart } from "../../processes/process-start.ts";
import type { DiskSync } from "../../transcript/disk-sync.ts";
import { markEnd, unmarkEnd } from "../../transcript/end-mark.ts";
import { metaOf, type AgentMeta } from "../../transcript/meta.ts";
import { draftMeta, draftOf, writeMeta } from "../../transcript/write-meta.ts";

/** Writes the meta file: the agent's record, stored whenever its state changes. Marks the agent whose file holds its end. */
export class MetaKeeper {
  readonly #path: string;
  readonly #endMark: string;
  /** Whether the mark may exist. */
  #isMarked = true;
  readonly #disk: DiskSync | undefined;
  /** Gate for replacing the file, so that an older record never overwrites a newer one. */
  readonly #replacements = new Gate(1);
  #record: AgentRecord;
  /** Length of the file; 0 while there is none. */
  #length: number;
  /** Whether the file describes the run under way. Another process may have written the present contents. */
  #isCurrent = false;
  /** The record as the file has it. */
  #written: AgentRecord | undefined;

  /** `length`: that of an existing file. */
  constructor(
    path: string,
    {
      record,
      length,
      disk,
      endMark,
    }: { record: AgentRecord; length: number; disk: DiskSync | undefined; endMark: string },
  ) {
    this.#path = path;
    this.#endMark = endMark;
    this.#disk = disk;
    this.#record = record;
    this.#length = length;
    this.#written = length > 0 ? record : undefined;
  }

  /** Whether the file holds the end of the last run. */
  get tellsEnd(): boolean {
    return this.#written !== undefined && hasEnded(this.#written);
  }

  begin(record: AgentRecord): void {
    this.#record = record;
    this.#isCurrent = false;
    this.#written = undefined;
  }

  /** Writes the file for an event, unless the file is up to date. Rejects with the file system's error. */
  async apply(event: AgentEvent): Promise<void> {
    const before = this.#record;
    this.#record = advance(before, event);
    const isKnown =
      this.#isCurrent &&
      this.#length > 0 &&
      this.#record.state === before.state &&
      event.type !== "agent-end" &&
      event.type !== "agent-background";
    if (isKnown) return;
    this.#isCurrent = true;
    if (this.#disk === undefined) this.#write();
    else await this.#replace(this.#disk);
  }

  /** Writes a record that is in the transcript and not in the file, because a process was killed in between. */
  settle(record: AgentRecord): void {
    this.#record = record;
    this.#isCurrent = true;
    this.#write();
  }

  #write(): void {
    const record = this.#record;
    if (!hasEnded(record)) this.#unmark();
    this.#length = writeMeta(this.#path, this.#meta(), this.#length);
    this.#wrote(record);
  }

  #replace(disk: DiskSync): Promise<void> {
    return this.#replacements.run(async () => {
      if (!hasEnded(this.#record) && this.#unmark()) await disk.syncNames(dirname(this.#endMark));
      const record = this.#record;
      let length: number;
      try {
        length = draftMeta(this.#path, this.#meta());
      } catch {
        // A full disk has no room for a second file; the first one reserves some.
        this.#write();
        return disk.sync(this.#path);
      }
      // After a failure it is unknown which of the two files exists.
      this.#length = 0;
      try {
        await disk.replace(this.#path, draftOf(this.#path));
      } catch (error) {
        // Other processes read the file all the same.
        this.#write();
        throw error;
      }
      this.#length = length;
      this.#wrote(record);
    });
  }

  #wrote(record: AgentRecord): void {
    this.#written = record;
    if (!hasEnded(record)) return;
    this.#isMarked = true;
    markEnd(this.#endMark);
  }

  /** Removes the mark, before the file says that the agent runs; false if there was none. */
  #unmark(): boolean {
    const isRemoved = this.#isMarked && unmarkEnd(this.#endMark);
    this.#isMarked = false;
    return isRemoved;
  }

  #meta(): AgentMeta {
    return metaOf(this.#record, { pid: process.pid, pidStart: ownStart });
  }
}

const ownStart = processStart(process.pid);

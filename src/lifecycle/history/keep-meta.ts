import { advance, hasEnded, type AgentRecord } from "../../events/agent-record.ts";
import type { AgentEvent } from "../../events/event.ts";
import { Gate } from "../../platform/gate.ts";
import { processStart } from "../../processes/process-start.ts";
import type { DiskSync } from "../../transcript/disk-sync.ts";
import { metaOf, type AgentMeta } from "../../transcript/meta.ts";
import { draftMeta, draftOf, writeMeta } from "../../transcript/write-meta.ts";

/** Keeps the file beside the transcript: the agent's record, written whenever its state changes. */
export class MetaKeeper {
  readonly #path: string;
  readonly #disk: DiskSync | undefined;
  /** One replacement of the file at a time, so that an older record never follows a newer one. */
  readonly #replacements = new Gate(1);
  #record: AgentRecord;
  /** The length of the file; 0 while there is none. */
  #length: number;
  /** The file is about the run under way. Another process may have written what is there. */
  #isCurrent = false;
  /** The record as the file has it. */
  #written: AgentRecord | undefined;

  /** `length`: of a file that is there already. */
  constructor(
    path: string,
    { record, length, disk }: { record: AgentRecord; length: number; disk: DiskSync | undefined },
  ) {
    this.#path = path;
    this.#disk = disk;
    this.#record = record;
    this.#length = length;
    this.#written = length > 0 ? record : undefined;
  }

  /** The file says how the last run ended. */
  get tellsEnd(): boolean {
    return this.#written !== undefined && hasEnded(this.#written);
  }

  begin(record: AgentRecord): void {
    this.#record = record;
    this.#isCurrent = false;
    this.#written = undefined;
  }

  /** Writes the file because of an event, unless it says so already. Rejects with the file system's error. */
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

  /** Writes a record that the transcript tells and the file does not, because a process was killed in between. */
  settle(record: AgentRecord): void {
    this.#record = record;
    this.#isCurrent = true;
    this.#write();
  }

  #write(): void {
    const record = this.#record;
    this.#length = writeMeta(this.#path, this.#meta(), this.#length);
    this.#written = record;
  }

  #replace(disk: DiskSync): Promise<void> {
    return this.#replacements.run(async () => {
      const record = this.#record;
      let length: number;
      try {
        length = draftMeta(this.#path, this.#meta());
      } catch {
        // A full disk has no room for a second file. The first one keeps some.
        this.#write();
        return disk.sync(this.#path);
      }
      // After a failure nobody knows which of the two files is there.
      this.#length = 0;
      try {
        await disk.replace(this.#path, draftOf(this.#path));
      } catch (error) {
        // Other processes read of it all the same.
        this.#write();
        throw error;
      }
      this.#length = length;
      this.#written = record;
    });
  }

  #meta(): AgentMeta {
    return metaOf(this.#record, { pid: process.pid, pidStart: ownStart });
  }
}

const ownStart = processStart(process.pid);

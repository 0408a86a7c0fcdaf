import { advance, hasEnded, type AgentRecord } from "../../events/agent-record.ts";
import type { AgentEvent } from "../../events/event.ts";
import { processStart } from "../../processes/process-start.ts";
import { metaOf, type AgentMeta } from "../../transcript/meta.ts";
import { writeMeta } from "../../transcript/write-meta.ts";

/** Keeps the file beside the transcript: the agent's record, written whenever its state changes. */
export class MetaKeeper {
  readonly #path: string;
  #record: AgentRecord;
  /** The length of the file; 0 while there is none. */
  #length: number;
  /** The file is about the run under way. Another process may have written what is there. */
  #isCurrent = false;
  /** The record as the file has it. */
  #written: AgentRecord | undefined;

  /** `length`: of a file that is there already. */
  constructor(path: string, record: AgentRecord, length: number) {
    this.#path = path;
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

  /** The new content of the file because of an event; nothing if the file says so already. */
  change(event: AgentEvent): MetaChange | undefined {
    const before = this.#record;
    this.#record = advance(before, event);
    const isKnown =
      this.#isCurrent &&
      this.#length > 0 &&
      this.#record.state === before.state &&
      event.type !== "agent-end" &&
      event.type !== "agent-background";
    return isKnown ? undefined : this.#changed();
  }

  /** Writes a record that the transcript tells and the file does not, because a process was killed in between. */
  settle(record: AgentRecord): void {
    this.#record = record;
    this.#changed().write();
  }

  #changed(): MetaChange {
    this.#isCurrent = true;
    const record = this.#record;
    const meta = metaOf(record, { pid: process.pid, pidStart: ownStart });
    return {
      path: this.#path,
      meta,
      write: () => {
        this.#length = writeMeta(this.#path, meta, this.#length);
        this.#written = record;
      },
    };
  }
}

export interface MetaChange {
  path: string;
  meta: AgentMeta;
  /** Throws the file system's error. */
  write: () => void;
}

const ownStart = processStart(process.pid);

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { totalOf, type AgentRecord } from "../../events/agent-record.ts";
import type { AgentId } from "../../contract/ids.ts";
import { readEndedRecord } from "../../transcript/meta.ts";
import type { SessionPaths } from "../../transcript/paths.ts";
import { UsageByType } from "../usage-by-type.ts";

/**
 * Records of ended agents, about 1 kB each. The newest 10,000 of this process stay in memory; older ones, and those of
 * earlier processes, are read from the meta files, which hold the same record.
 */
export class EndedRecords {
  readonly #paths: SessionPaths;
  readonly #limit: number;
  readonly #records = new Map<AgentId, AgentRecord>();
  /** Agents of this process whose records were evicted, and the sums over them. */
  readonly #evicted = new Set<AgentId>();
  readonly #evictedUsage = new UsageByType();
  /** Whether agents of earlier processes may exist. */
  readonly #isReopened: boolean;

  constructor(options: { paths: SessionPaths; isReopened: boolean; limit?: number | undefined }) {
    this.#paths = options.paths;
    this.#isReopened = options.isReopened;
    this.#limit = options.limit ?? 10_000;
  }

  add(record: AgentRecord): void {
    this.#records.delete(record.id);
    this.#records.set(record.id, record);
    const [oldest] = this.#records.keys();
    if (this.#records.size > this.#limit && oldest !== undefined) this.evict(oldest);
  }

  /** Evicts a record. The sums keep it. */
  evict(id: AgentId): void {
    const record = this.#records.get(id);
    if (record === undefined) return;
    this.#records.delete(id);
    this.#evicted.add(id);
    this.#evictedUsage.add(record.type, totalOf(record));
  }

  get(id: AgentId): AgentRecord | undefined {
    const known = this.#records.get(id);
    if (known !== undefined || !this.#hasMore) return known;
    const found = readEndedRecord(this.#paths.meta(id));
    if (found !== undefined) return found;
    const main = readEndedRecord(this.#paths.mainMeta);
    return main?.id === id ? main : undefined;
  }

  /** Deletes a record, because its agent runs again or was removed. */
  delete(record: AgentRecord): void {
    this.#records.delete(record.id);
    if (this.#evicted.delete(record.id)) this.#evictedUsage.subtract(record.type, totalOf(record));
  }

  /** All records of the session. `isKnown`: agents whose files are not read. */
  all(isKnown: (id: AgentId) => boolean): AgentRecord[] {
    const inMemory = [...this.#records.values()];
    return this.#hasMore ? [...this.#onDisk(isKnown), ...inMemory] : inMemory;
  }

  /** The sums over all that ended in this process. */
  usage(): UsageByType {
    const usage = new UsageByType();
    usage.merge(this.#evictedUsage);
    for (const record of this.#records.values()) usage.add(record.type, totalOf(record));
    return usage;
  }

  /** Whether records may be on disk that are not in memory. */
  get #hasMore(): boolean {
    return this.#isReopened || this.#evicted.size > 0;
  }

  #onDisk(isKnown: (id: AgentId) => boolean): AgentRecord[] {
    const { agentsDir, mainMeta } = this.#paths;
    const isNew = (id: AgentId): boolean => !this.#records.has(id) && !isKnown(id);
    const main = readEndedRecord(mainMeta);
    const files = existsSync(agentsDir) ? readdirSync(agentsDir) : [];
    const children = files
      .flatMap((file) => /^agent-(.+)\.meta\.json$/.exec(file)?.[1] ?? [])
      .filter((id) => isNew(id as AgentId))
      .flatMap((id) => readEndedRecord(join(agentsDir, `agent-${id}.meta.json`)) ?? []);
    return [...(main !== undefined && isNew(main.id) ? [main] : []), ...children];
  }
}

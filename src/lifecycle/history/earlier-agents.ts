import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { RetinueError } from "../../contract/errors.ts";
import { parseAgentId, type AgentId } from "../../contract/ids.ts";
import type { Mail } from "../../loop/mail.ts";
import { filesAtOnce, mapAtMost } from "../../platform/gate.ts";
import { once } from "../../platform/once.ts";
import { reapOrphans } from "../../processes/orphans.ts";
import { readJsonl } from "../../transcript/lines/jsonl.ts";
import { hasEnded, type AgentRecord, type AgentState } from "../../events/agent-record.ts";
import { isInterrupted, readAgent } from "../../transcript/agent-on-disk.ts";
import { readMeta } from "../../transcript/meta.ts";
import { recordAfter } from "../../transcript/record-after.ts";
import type { SessionPaths } from "../../transcript/paths.ts";
import { parseEntry, type TranscriptEntry } from "../../transcript/reader.ts";
import type { EarlierFiles } from "./agent-files.ts";
import { lostShells } from "./lost-shells.ts";
import { pastOf, type Past } from "./past.ts";
import type { Asker } from "../family.ts";

/** An agent that has run before, as its files tell it. */
export interface EarlierAgent {
  readonly entries: readonly TranscriptEntry[];
  readonly past: Past;
  readonly record: AgentRecord;
  /** `state`: as the file beside the transcript names it. */
  readonly files: EarlierFiles & { readonly state: AgentState };
  /** What it has to hear of commands that ended with its process. */
  readonly lostShells: readonly Mail[];
}

/** An agent whose process ended before it did. */
export interface Interrupted {
  readonly id: AgentId;
  readonly parentId: AgentId | null;
  /** The call of its parent that asked for it. */
  readonly toolUseId: string | null;
  readonly background: boolean;
}

interface Known extends Interrupted {
  readonly isInterrupted: boolean;
}

/** The agents of a session that are on disk. Of a session that begins here there are none to look for. */
export class EarlierAgents {
  readonly #paths: SessionPaths;
  /** Of other processes, as they were when this one opened the session. */
  #known: Promise<ReadonlyMap<AgentId, Known>>;

  constructor(options: { paths: SessionPaths; isReopened: boolean }) {
    this.#paths = options.paths;
    const { isReopened } = options;
    this.ready = once(async () => void (isReopened && (await reapOrphans())));
    this.#known = isReopened ? this.#load() : Promise.resolve(new Map());
    // Whoever asks gets the error.
    this.#known.catch(() => undefined);
  }

  /** What processes that are gone have left running is ended before anything of theirs goes on. */
  readonly ready: () => Promise<void>;

  /** Its files now. Throws `unknown_task` where there are none. */
  async read(id: AgentId): Promise<EarlierAgent> {
    const { metaPath, transcript } = await this.#filesOf(id);
    const { pid: _, pidStart: __, ...stored } = (await readMeta(metaPath)).retinue;
    const lines = await readJsonl(transcript).catch(() => []);
    const last = lines.findLast((line) => typeof line["uuid"] === "string")?.["uuid"];
    const entries = lines.flatMap(parseEntry);
    const past = pastOf(entries);
    const after = hasEnded(stored) ? stored : recordAfter(stored, entries);
    return {
      entries,
      past,
      record: { ...after, state: past.end?.state ?? "interrupted" },
      lostShells: lostShells(lines),
      files: {
        state: stored.state,
        metaLength: statSync(metaPath).size,
        lastUuid: typeof last === "string" ? last : null,
      },
    };
  }

  async interrupted(): Promise<Interrupted[]> {
    return [...(await this.#known).values()].filter((known) => known.isInterrupted);
  }

  /** Its children that nobody waited for. */
  async backgroundChildren(id: AgentId): Promise<AgentId[]> {
    return [...(await this.#known).values()].flatMap((known) =>
      known.parentId === id && known.background ? [known.id] : [],
    );
  }

  /** The child that one call of an agent has brought into being. */
  async childOf({ id, toolUseId }: Asker): Promise<AgentId | undefined> {
    for (const known of (await this.#known).values())
      if (known.parentId === id && known.toolUseId === toolUseId) return known.id;
    return undefined;
  }

  async #load(): Promise<ReadonlyMap<AgentId, Known>> {
    const known = new Map<AgentId, Known>();
    for (const agent of await mapAtMost(filesAtOnce, await this.#metaFiles(), readAgent)) {
      if (agent === undefined) continue;
      known.set(agent.record.id, { ...agent.record, isInterrupted: isInterrupted(agent) });
    }
    return known;
  }

  async #metaFiles(): Promise<string[]> {
    const names = await readdir(`${this.#paths.sessionDir}/subagents`).catch(() => []);
    const ids = names.flatMap((name) => /^agent-(.+)\.meta\.json$/.exec(name)?.[1] ?? []);
    const children = ids.flatMap((text) => {
      const id = parseAgentId(text);
      return id === undefined ? [] : [this.#paths.meta(id)];
    });
    return [this.#paths.mainMeta, ...children];
  }

  async #filesOf(id: AgentId): Promise<{ metaPath: string; transcript: string }> {
    const paths = this.#paths;
    const isThere = (path: string): boolean =>
      statSync(path, { throwIfNoEntry: false }) !== undefined;
    if (isThere(paths.meta(id)))
      return { metaPath: paths.meta(id), transcript: paths.transcript(id) };
    const main = isThere(paths.mainMeta) ? await readMeta(paths.mainMeta) : undefined;
    if (main?.retinue.id === id)
      return { metaPath: paths.mainMeta, transcript: paths.mainTranscript };
    throw new RetinueError("unknown_task", `unknown task_id: ${id}`);
  }
}

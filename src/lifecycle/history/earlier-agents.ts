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
import {
  agentNow,
  isInterrupted,
  readStored,
  type AgentAsWritten,
} from "../../transcript/agent-on-disk.ts";
import { readMeta } from "../../transcript/meta.ts";
import { recordAfter } from "../../transcript/record-after.ts";
import type { SessionPaths } from "../../transcript/paths.ts";
import { parseEntry, type TranscriptEntry } from "../../transcript/reader.ts";
import type { EarlierFiles } from "./agent-files.ts";
import { lostShells } from "./lost-shells.ts";
import { pastOf, type Past } from "./past.ts";
import type { Asker } from "../family.ts";

/** An agent of an earlier run, as read from its files. */
export interface EarlierAgent {
  readonly entries: readonly TranscriptEntry[];
  readonly past: Past;
  readonly record: AgentRecord;
  /** `state`: the state in the meta file. */
  readonly files: EarlierFiles & { readonly state: AgentState };
  /** Notifications of commands that ended with the agent's process. */
  readonly lostShells: readonly Mail[];
}

/** The meta file of an agent, as read when this process opened the session. */
interface KnownAgent {
  readonly id: AgentId;
  readonly parentId: AgentId | null;
  /** The parent's call that requested the agent. */
  readonly toolUseId: string | null;
  readonly background: boolean;
  /** Whether a task was under way, unless the transcript holds its end. */
  readonly mayBeInterrupted: boolean;
}

/** Agents of a session that are on disk. A new session has none. */
export class EarlierAgents {
  readonly #paths: SessionPaths;
  readonly #known: Promise<ReadonlyMap<AgentId, KnownAgent>>;
  /** Interrupted agents that were read and have not been resumed yet. */
  readonly #kept = new Map<AgentId, { earlier: EarlierAgent; size: number }>();

  constructor(options: { paths: SessionPaths; isReopened: boolean }) {
    this.#paths = options.paths;
    const { isReopened } = options;
    this.ready = once(async () => void (isReopened && (await reapOrphans())));
    this.#known = isReopened ? this.#load() : Promise.resolve(new Map());
    // The callers that await it get the error.
    this.#known.catch(() => undefined);
  }

  /** Ends the orphans of earlier processes before any of their agents is resumed. */
  readonly ready: () => Promise<void>;

  /**
   * Reads the files of an agent. Throws `unknown_task` if there are none. An interrupted agent's files are read once
   * and cached until `take`, unless lines are added.
   */
  async read(id: AgentId): Promise<EarlierAgent> {
    const files = await this.#filesOf(id);
    const size = sizeOf(files.transcript);
    const kept = this.#kept.get(id);
    if (kept?.size === size) return kept.earlier;
    const earlier = await readFiles(files);
    if (earlier.past.end === null) this.#kept.set(id, { earlier, size });
    return earlier;
  }

  /** Reads the files for a caller that changes them next. */
  async take(id: AgentId): Promise<EarlierAgent> {
    try {
      return await this.read(id);
    } finally {
      this.#kept.delete(id);
    }
  }

  /** Agents whose process ended before they did. */
  async interrupted(): Promise<EarlierAgent[]> {
    const open = [...(await this.#known).values()].filter((known) => known.mayBeInterrupted);
    const read = await mapAtMost(filesAtOnce, open, ({ id }) =>
      this.read(id).catch(() => undefined),
    );
    return read.flatMap((earlier) => (earlier?.record.state === "interrupted" ? [earlier] : []));
  }

  /** Children of an agent that ran in the background. */
  async backgroundChildren(id: AgentId): Promise<AgentId[]> {
    return [...(await this.#known).values()].flatMap((known) =>
      known.parentId === id && known.background ? [known.id] : [],
    );
  }

  /** The child that one call of an agent created. */
  async childOf({ id, toolUseId }: Asker): Promise<AgentId | undefined> {
    for (const known of (await this.#known).values())
      if (known.parentId === id && known.toolUseId === toolUseId) return known.id;
    return undefined;
  }

  async #load(): Promise<ReadonlyMap<AgentId, KnownAgent>> {
    const read = await mapAtMost(filesAtOnce, await this.#metaFiles(), readStored);
    const known = read.flatMap((found) => (found === undefined ? [] : knownAgent(found)));
    return new Map(known.map((one) => [one.id, one]));
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

  async #filesOf(id: AgentId): Promise<Files> {
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

function knownAgent(found: AgentAsWritten): KnownAgent {
  const { id, parentId, toolUseId, background } = found.stored;
  const mayBeInterrupted = isInterrupted(agentNow(found));
  return { id, parentId, toolUseId, background, mayBeInterrupted };
}

interface Files {
  readonly metaPath: string;
  readonly transcript: string;
}

async function readFiles({ metaPath, transcript }: Files): Promise<EarlierAgent> {
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

/** The size of a transcript. Transcripts only grow, so an equal size means that no lines were added. */
function sizeOf(transcript: string): number {
  return statSync(transcript, { throwIfNoEntry: false })?.size ?? 0;
}

import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { RetinueError } from "../errors.ts";
import { parseAgentId, type AgentId } from "../ids.ts";
import type { Mail } from "../loop/mail.ts";
import type { PriceOverrides } from "../model/prices.ts";
import { filesAtOnce, mapAtMost } from "../platform/gate.ts";
import { once } from "../platform/once.ts";
import { reapOrphans } from "../platform/orphans.ts";
import { readJsonl } from "../platform/jsonl.ts";
import { isInterrupted, readAgent, readMeta, type AgentMeta } from "../transcript/meta.ts";
import type { SessionPaths } from "../transcript/paths.ts";
import { parseEntry, type TranscriptEntry } from "../transcript/reader.ts";
import type { EarlierFiles } from "./agent-files.ts";
import { lostShells } from "./lost-shells.ts";
import { pastOf, type Past } from "./past.ts";
import type { Asker } from "./session.ts";

/** An agent that has run before, as its files tell it. */
export interface EarlierAgent {
  readonly entries: readonly TranscriptEntry[];
  readonly past: Past;
  readonly earlier: EarlierFiles;
  /** What it has to hear of commands that ended with its process. */
  readonly lostShells: readonly Mail[];
}

/** An agent whose process ended before it did. */
export interface Interrupted {
  readonly id: AgentId;
  readonly parentId: AgentId | null;
  /** The call of its parent that asked for it. */
  readonly toolUseId: string | undefined;
  readonly background: boolean;
}

interface Known extends Interrupted {
  readonly isInterrupted: boolean;
}

/** The agents of a session that are on disk. Of a session that begins here there are none to look for. */
export class EarlierAgents {
  readonly #paths: SessionPaths;
  readonly #prices: PriceOverrides;
  /** Of other processes, as they were when this one opened the session. */
  #known: Promise<ReadonlyMap<AgentId, Known>>;

  constructor(options: { paths: SessionPaths; prices: PriceOverrides; isReopened: boolean }) {
    this.#paths = options.paths;
    this.#prices = options.prices;
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
    const meta = await readMeta(metaPath);
    const lines = await readJsonl(transcript).catch(() => []);
    const last = lines.findLast((line) => typeof line["uuid"] === "string")?.["uuid"];
    const entries = lines.flatMap(parseEntry);
    return {
      entries,
      past: pastOf(entries, this.#prices),
      lostShells: lostShells(lines),
      earlier: {
        meta,
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
      const one = knownOf(agent.meta, isInterrupted(agent));
      known.set(one.id, one);
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
    if (main?.retinue.agentId === id)
      return { metaPath: paths.mainMeta, transcript: paths.mainTranscript };
    throw new RetinueError("unknown_task", `unknown task_id: ${id}`);
  }
}

function knownOf({ toolUseId, retinue }: AgentMeta, isInterrupted: boolean): Known {
  const { agentId, parentId, background } = retinue;
  return {
    id: agentId as AgentId,
    parentId: parentId as AgentId | null,
    toolUseId,
    background,
    isInterrupted,
  };
}

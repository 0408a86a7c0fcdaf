import { glob, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { errorMessage, RetinueError, systemCode } from "../errors.ts";
import { isRunBy } from "./liveness.ts";
import { readTranscript, tokensOf, type EndOnDisk, type TranscriptEntry } from "./reader.ts";

const usageSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});

/** What else there is to say of an agent that has ended, so that it need not stay in memory. */
const agentEndSchema = z.object({
  modelFrom: z.string(),
  maxTurns: z.number(),
  lastTool: z.string().nullable(),
  /** Over all its tasks. */
  usage: usageSchema,
  /** Of its last task. */
  figures: z.object({
    turns: z.number(),
    toolUses: z.number(),
    denials: z.number(),
    deniedCalls: z.array(z.object({ tool: z.string(), reason: z.string(), count: z.number() })),
    durationMs: z.number(),
    usage: usageSchema,
    lastUsage: usageSchema,
    costUsd: z.number().nullable(),
    contentFile: z.string().exactOptional(),
  }),
});

/**
 * The small file beside each transcript. The first four fields are those that other readers know; `retinue` is what
 * `ps`, `logs` and `output` need to list agents of any process without reading transcripts.
 */
export const agentMetaSchema = z.object({
  agentType: z.string(),
  description: z.string().default(""),
  toolUseId: z.string().optional(),
  spawnDepth: z.number().default(0),
  retinue: z.object({
    agentId: z.string(),
    sessionId: z.string(),
    name: z.string().nullable(),
    parentId: z.string().nullable(),
    model: z.string(),
    scripted: z.boolean(),
    cwd: z.string(),
    /** The process that runs it, with its start time, because process ids are used again. */
    pid: z.number(),
    pidStart: z.string(),
    /** Nobody waits for it. */
    background: z.boolean().default(false),
    state: z.enum(["queued", "running", "waiting", "idle", "completed", "failed", "stopped"]),
    startedAt: z.number(),
    endedAt: z.number().optional(),
    turns: z.number().optional(),
    toolUses: z.number().optional(),
    tokens: z.number().optional(),
    /** In US dollars, over all its tasks; null = unknown. */
    costUsd: z.number().nullable().optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    end: agentEndSchema.optional(),
  }),
});

export type AgentMeta = z.infer<typeof agentMetaSchema>;

/** An agent as the files tell it. */
export interface AgentOnDisk {
  meta: AgentMeta;
  transcript: string;
  /** Where this was read from. */
  file: string;
  /** `interrupted`: its process is gone, and it never said how it ended. */
  state: AgentMeta["retinue"]["state"] | "interrupted";
}

export const statesOnDisk: readonly AgentOnDisk["state"][] = [
  ...agentMetaSchema.shape.retinue.shape.state.options,
  "interrupted",
];

/** Every agent of Retinue below a config directory, oldest first. Files of other programs are passed over. */
export async function findAgents(configDir: string): Promise<AgentOnDisk[]> {
  const projects = join(configDir, "projects");
  try {
    await readdir(projects);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw new RetinueError(
      "storage",
      `${projects} cannot be read: ${errorMessage(error)}. Check its permissions or CLAUDE_CONFIG_DIR.`,
    );
  }
  const found: AgentOnDisk[] = [];
  const patterns = ["*/*/main.meta.json", "*/*/subagents/agent-*.meta.json"];
  for await (const file of glob(patterns, { cwd: projects })) {
    const agent = await readAgent(join(projects, file));
    if (agent !== undefined) found.push(agent);
  }
  return found.toSorted((a, b) => a.meta.retinue.startedAt - b.meta.retinue.startedAt);
}

export async function readAgent(metaPath: string): Promise<AgentOnDisk | undefined> {
  try {
    const meta = await readMeta(metaPath).catch(() => readMeta(metaPath));
    const transcript = transcriptOf(metaPath);
    const state = stateOf(meta, sessionDirectory(metaPath));
    const found = { meta, transcript, file: metaPath, state };
    if (!isOpen(state) && state !== "interrupted") return found;
    const entries = await readTranscript(transcript);
    const end = state === "interrupted" ? endOf(entries) : undefined;
    return {
      ...found,
      meta: upToDate(meta, end?.state ?? state, entries),
      state: end?.state ?? state,
    };
  } catch {
    return undefined;
  }
}

/** How an agent ended whose process was gone before it could write more than that. */
function endOf(entries: readonly TranscriptEntry[]): EndOnDisk | undefined {
  const last = entries.findLast(({ kind }) => kind === "end" || kind === "record");
  return last?.kind === "end" ? last.result : undefined;
}

export async function readMeta(path: string): Promise<AgentMeta> {
  return agentMetaSchema.parse(JSON.parse(await readFile(path, "utf8")));
}

/** What an agent that has not said how it ended has taken so far stands in its transcript. */
function upToDate(
  meta: AgentMeta,
  state: AgentOnDisk["state"],
  entries: readonly TranscriptEntry[],
): AgentMeta {
  const lastAt = Date.parse(entries.at(-1)?.at ?? "");
  const endedAt = Number.isNaN(lastAt) ? meta.retinue.startedAt : lastAt;
  const turns = new Set(entries.flatMap((entry) => (entry.kind === "answer" ? [entry.id] : [])))
    .size;
  return {
    ...meta,
    retinue: {
      ...meta.retinue,
      turns,
      tokens: tokensOf(entries),
      // Written when a task ends; while one is under way, or broke off, it says too little.
      ...(state === "idle" ? {} : { costUsd: null }),
      ...(isOpen(state) ? {} : { endedAt }),
    },
  };
}

function transcriptOf(metaPath: string): string {
  if (basename(metaPath) !== "main.meta.json") return metaPath.replace(/\.meta\.json$/, ".jsonl");
  return `${dirname(metaPath)}.jsonl`;
}

/** Where everything of an agent's session lies. */
export function sessionDirectory(metaFile: string): string {
  const directory = dirname(metaFile);
  return basename(metaFile) === "main.meta.json" ? directory : dirname(directory);
}

/** It has not ended. */
export function isOpen(state: AgentOnDisk["state"]): boolean {
  return ["queued", "running", "waiting", "idle"].includes(state);
}

/** Something was under way in it. One that stood idle has nothing to go on with. */
export function isInterrupted({ state, meta }: AgentOnDisk): boolean {
  return state === "interrupted" && meta.retinue.state !== "idle";
}

function stateOf({ retinue }: AgentMeta, sessionDir: string): AgentOnDisk["state"] {
  return isOpen(retinue.state) && !isRunBy(retinue, sessionDir) ? "interrupted" : retinue.state;
}

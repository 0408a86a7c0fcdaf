import { glob, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../platform/atomic-write.ts";
import { processStart } from "../platform/process-table.ts";

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
    state: z.enum(["queued", "running", "idle", "completed", "failed", "stopped"]),
    startedAt: z.number(),
    endedAt: z.number().optional(),
    turns: z.number().optional(),
    toolUses: z.number().optional(),
    tokens: z.number().optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  }),
});

export type AgentMeta = z.infer<typeof agentMetaSchema>;

/** An agent as the files tell it. */
export interface AgentOnDisk {
  meta: AgentMeta;
  transcript: string;
  /** `interrupted`: its process is gone, and it never said how it ended. */
  state: AgentMeta["retinue"]["state"] | "interrupted";
}

export function writeMeta(path: string, meta: AgentMeta): Promise<void> {
  return writeFileAtomic(path, `${JSON.stringify(meta)}\n`, { mode: 0o600 });
}

/** Every agent of Retinue below a config directory, oldest first. Files of other programs are passed over. */
export async function findAgents(configDir: string): Promise<AgentOnDisk[]> {
  const found: AgentOnDisk[] = [];
  const patterns = ["*/*/main.meta.json", "*/*/subagents/agent-*.meta.json"];
  for await (const file of glob(patterns, { cwd: join(configDir, "projects") })) {
    const agent = await readAgent(join(configDir, "projects", file));
    if (agent !== undefined) found.push(agent);
  }
  return found.toSorted((a, b) => a.meta.retinue.startedAt - b.meta.retinue.startedAt);
}

async function readAgent(metaPath: string): Promise<AgentOnDisk | undefined> {
  try {
    const meta = agentMetaSchema.parse(JSON.parse(await readFile(metaPath, "utf8")));
    return { meta, transcript: transcriptOf(metaPath), state: stateOf(meta) };
  } catch {
    return undefined;
  }
}

function transcriptOf(metaPath: string): string {
  if (basename(metaPath) !== "main.meta.json") return metaPath.replace(/\.meta\.json$/, ".jsonl");
  return `${dirname(metaPath)}.jsonl`;
}

function stateOf(meta: AgentMeta): AgentOnDisk["state"] {
  const { state, pid, pidStart } = meta.retinue;
  const open = state === "queued" || state === "running" || state === "idle";
  return open && processStart(pid) !== pidStart ? "interrupted" : state;
}

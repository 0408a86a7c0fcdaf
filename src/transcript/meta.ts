import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { FailureCode } from "../contract/agent-result.ts";
import { agentStates, hasEnded, type AgentRecord } from "../events/agent-record.ts";
import type { AgentId, SessionId } from "../contract/ids.ts";

const usageSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});
const usedShape = {
  turns: z.number(),
  toolUses: z.number(),
  usage: usageSchema,
  costUsd: z.number().nullable(),
};
const endShape = { durationMs: z.number(), contentFile: z.string().exactOptional() };
const agentIdSchema = z.string() as unknown as z.ZodType<AgentId>;

const recordSchema = z.object({
  id: agentIdSchema,
  sessionId: z.string() as unknown as z.ZodType<SessionId>,
  parentId: agentIdSchema.nullable(),
  depth: z.number(),
  toolUseId: z.string().nullable(),
  type: z.string(),
  name: z.string().nullable(),
  description: z.string(),
  color: z.string().nullable(),
  model: z.string(),
  modelFrom: z.string(),
  scripted: z.boolean(),
  maxTurns: z.number(),
  cwd: z.string(),
  standing: z.boolean(),
  background: z.boolean(),
  state: z.enum(agentStates),
  waitReason: z.enum(["child", "permission", "question", "message"]).nullable(),
  startedAt: z.number(),
  hasStarted: z.boolean(),
  endedAt: z.number().nullable(),
  runs: z.number(),
  run: z.object({
    ...usedShape,
    startedAt: z.number(),
    denials: z.number(),
    deniedCalls: z.array(z.object({ tool: z.string(), reason: z.string(), count: z.number() })),
    lastUsage: usageSchema,
  }),
  before: z.object(usedShape),
  lastTool: z.string().nullable(),
  end: z
    .discriminatedUnion("state", [
      z.object({ ...endShape, state: z.literal("completed") }),
      z.object({
        ...endShape,
        state: z.literal("failed"),
        error: z.object({ code: z.string() as z.ZodType<FailureCode>, message: z.string() }),
      }),
      z.object({ ...endShape, state: z.literal("stopped"), reason: z.string() }),
    ])
    .nullable(),
}) satisfies z.ZodType<AgentRecord>;

/** The process that runs an agent, with its start time, because process ids are reused. */
export interface Runner {
  readonly pid: number;
  readonly pidStart: string;
}

/**
 * The small file beside each transcript. The first four fields are those that other readers know; `retinue` is the agent's
 * record, so that agents of any process are listed without reading transcripts.
 */
const agentMetaSchema = z.object({
  agentType: z.string(),
  description: z.string().default(""),
  toolUseId: z.string().optional(),
  spawnDepth: z.number().default(0),
  retinue: recordSchema.extend({ pid: z.number(), pidStart: z.string() }),
});

export type AgentMeta = z.infer<typeof agentMetaSchema>;

export function metaOf(record: AgentRecord, runner: Runner): AgentMeta {
  const { type, description, toolUseId, depth } = record;
  return {
    agentType: type,
    description,
    ...(toolUseId === null ? {} : { toolUseId }),
    spawnDepth: depth,
    retinue: { ...mutable(record), ...runner },
  };
}

/** Reads a meta file, a second time if it was being overwritten. Throws where there is no file of Retinue. */
export async function readMeta(path: string): Promise<AgentMeta> {
  const read = async (): Promise<AgentMeta> =>
    agentMetaSchema.parse(JSON.parse(await readFile(path, "utf8")));
  return read().catch(read);
}

const glanceSchema = z.object({
  retinue: recordSchema.pick({ id: true, name: true, state: true }),
});

/** The part of a meta file that decides whether an agent is looked for. */
export type Glance = z.infer<typeof glanceSchema>["retinue"];

/** Reads that part, twice if needed, as `readMeta` does; `undefined` where there is no file of Retinue. */
export function glanceAt(path: string): Glance | undefined {
  const look = (): Glance | undefined => {
    try {
      return glanceSchema.parse(JSON.parse(readFileSync(path, "utf8"))).retinue;
    } catch {
      return undefined;
    }
  };
  return look() ?? look();
}

/** The record of an ended agent; `undefined` where the file is missing or has no end. */
export function readEndedRecord(path: string): AgentRecord | undefined {
  try {
    const {
      pid: _,
      pidStart: __,
      ...record
    } = agentMetaSchema.parse(JSON.parse(readFileSync(path, "utf8"))).retinue;
    return hasEnded(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function mutable(record: AgentRecord): z.infer<typeof recordSchema> {
  return record as z.infer<typeof recordSchema>;
}

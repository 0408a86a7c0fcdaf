import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentMetaSchema, type AgentMeta } from "./meta.ts";

/** An agent that has ended, as the small file beside its transcript tells it. */
export interface EndedAgent extends AgentMeta {
  retinue: AgentMeta["retinue"] & {
    state: "completed" | "failed" | "stopped";
    end: NonNullable<AgentMeta["retinue"]["end"]>;
  };
}

/** `undefined`: there is no such file, or it does not tell how the agent ended. It is small, so nobody waits for it. */
export function readEndedAgent(metaPath: string): EndedAgent | undefined {
  try {
    const meta = agentMetaSchema.parse(JSON.parse(readFileSync(metaPath, "utf8")));
    return tellsEnd(meta) ? meta : undefined;
  } catch {
    return undefined;
  }
}

/** All of a directory, if there is one. `isKnown`: which ones not to read. */
export function readEndedAgents(
  directory: string,
  isKnown: (agentId: string) => boolean,
): EndedAgent[] {
  const files = existsSync(directory) ? readdirSync(directory) : [];
  return files
    .flatMap((file) => /^agent-(.+)\.meta\.json$/.exec(file)?.[1] ?? [])
    .filter((id) => !isKnown(id))
    .flatMap((id) => readEndedAgent(join(directory, `agent-${id}.meta.json`)) ?? []);
}

/** Whether this is how the file of an ended agent is. */
export function tellsEnd(meta: AgentMeta): meta is EndedAgent {
  const { state, end } = meta.retinue;
  return end !== undefined && (state === "completed" || state === "failed" || state === "stopped");
}

import { basename, dirname } from "node:path";
import { hasEnded, isBusy, type AgentRecord, type AgentState } from "../events/agent-record.ts";
import { filesAtOnce, mapAtMost } from "../platform/gate.ts";
import { isRunBy } from "./lease/liveness.ts";
import { listAgents } from "./list-agents.ts";
import { readMeta, type Runner } from "./meta.ts";
import { readTranscript } from "./reader.ts";
import { recordAfter } from "./record-after.ts";

/** An agent, read from its files. */
export interface AgentOnDisk {
  readonly record: AgentRecord;
  /** The state in the file. Its process may be gone since. */
  readonly fileState: AgentState;
  /** The process that runs it, or ran it last. */
  readonly runner: Runner;
  readonly transcript: string;
  /** The meta file. */
  readonly file: string;
}

/** Every agent of Retinue below a config directory, oldest first. Files of other programs are skipped. */
export async function findAgents(configDir: string): Promise<AgentOnDisk[]> {
  const files = listAgents(configDir).map(({ file }) => file);
  const found = await mapAtMost(filesAtOnce, files, readAgent);
  return oldestFirst(found.filter((agent) => agent !== undefined));
}

export function oldestFirst(agents: readonly AgentOnDisk[]): AgentOnDisk[] {
  return agents.toSorted((a, b) => a.record.startedAt - b.record.startedAt);
}

export async function readAgent(file: string): Promise<AgentOnDisk | undefined> {
  const found = await readAsWritten(file);
  return found && agentNow(found);
}

/** The files of an agent, without a check of the process that runs it. */
export interface AgentAsWritten {
  readonly file: string;
  readonly runner: Runner;
  /** The record in the file. */
  readonly stored: AgentRecord;
  /** The record, completed from the transcript if that was read. */
  readonly record: AgentRecord;
  /** The time of the transcript's last line, if that was read. */
  readonly lastAt: number | undefined;
}

/** Reads an agent's meta file alone; `undefined` for a file that is missing, damaged or another program's. */
export async function readStored(file: string): Promise<AgentAsWritten | undefined> {
  try {
    const { pid, pidStart, ...stored } = (await readMeta(file)).retinue;
    return { file, runner: { pid, pidStart }, stored, record: stored, lastAt: undefined };
  } catch {
    return undefined;
  }
}

/** Reads an agent's meta file, and the transcript of one that has not ended. */
export async function readAsWritten(file: string): Promise<AgentAsWritten | undefined> {
  const found = await readStored(file);
  if (found === undefined || hasEnded(found.stored)) return found;
  try {
    const entries = await readTranscript(transcriptOf(file));
    const lastAt = Date.parse(entries.at(-1)?.at ?? "") || undefined;
    return { ...found, record: recordAfter(found.stored, entries), lastAt };
  } catch {
    return undefined;
  }
}

/** The agent now: an open state whose process is gone becomes `interrupted`, or the end in the transcript. */
export function agentNow({ file, runner, stored, record, lastAt }: AgentAsWritten): AgentOnDisk {
  const found = { fileState: stored.state, runner, transcript: transcriptOf(file), file };
  if (hasEnded(stored)) return { ...found, record };
  if (isRunBy(runner, sessionDirectory(file))) {
    const { state, waitReason } = stored;
    return { ...found, record: { ...record, state, waitReason } };
  }
  const state = record.end?.state ?? "interrupted";
  const endedAt = record.endedAt ?? lastAt ?? record.startedAt;
  return { ...found, record: { ...record, state, endedAt, waitReason: null } };
}

export function transcriptOf(metaPath: string): string {
  if (basename(metaPath) !== "main.meta.json") return metaPath.replace(/\.meta\.json$/, ".jsonl");
  return `${dirname(metaPath)}.jsonl`;
}

/** The directory of an agent's session. */
export function sessionDirectory(metaFile: string): string {
  const directory = dirname(metaFile);
  return basename(metaFile) === "main.meta.json" ? directory : dirname(directory);
}

/** Whether the agent has not ended and its process is there. */
export function isOpen(state: AgentState): boolean {
  return isBusy({ state }) || state === "idle";
}

/** Whether a task was under way. An idle agent has nothing to resume. */
export function isInterrupted({ record, fileState }: AgentOnDisk): boolean {
  return record.state === "interrupted" && fileState !== "idle";
}

import { glob, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorMessage, RetinueError, systemCode } from "../contract/errors.ts";
import { hasEnded, isBusy, type AgentRecord, type AgentState } from "../events/agent-record.ts";
import { isRunBy } from "./lease/liveness.ts";
import { readMeta, type Runner } from "./meta.ts";
import { readTranscript } from "./reader.ts";
import { recordAfter } from "./record-after.ts";

/** An agent as its files tell it. */
export interface AgentOnDisk {
  readonly record: AgentRecord;
  /** The state that the file names. Its process may be gone since. */
  readonly fileState: AgentState;
  /** The process that runs it, or ran it last. */
  readonly runner: Runner;
  readonly transcript: string;
  /** The file beside the transcript. */
  readonly file: string;
}

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
  return found.toSorted((a, b) => a.record.startedAt - b.record.startedAt);
}

export async function readAgent(file: string): Promise<AgentOnDisk | undefined> {
  try {
    // A reader that looks while the file is written looks again.
    const { retinue } = await readMeta(file).catch(() => readMeta(file));
    const { pid, pidStart, ...stored } = retinue;
    const runner = { pid, pidStart };
    const transcript = transcriptOf(file);
    const found = { fileState: stored.state, runner, transcript, file };
    if (hasEnded(stored)) return { ...found, record: stored };
    const entries = await readTranscript(transcript);
    const after = recordAfter(stored, entries);
    if (isRunBy(runner, sessionDirectory(file))) {
      const { state, waitReason } = stored;
      return { ...found, record: { ...after, state, waitReason } };
    }
    const state = after.end?.state ?? "interrupted";
    const endedAt = after.endedAt ?? (Date.parse(entries.at(-1)?.at ?? "") || after.startedAt);
    return { ...found, record: { ...after, state, endedAt, waitReason: null } };
  } catch {
    return undefined;
  }
}

function transcriptOf(metaPath: string): string {
  if (basename(metaPath) !== "main.meta.json") return metaPath.replace(/\.meta\.json$/, ".jsonl");
  return `${dirname(metaPath)}.jsonl`;
}

/** The directory of an agent's session. */
export function sessionDirectory(metaFile: string): string {
  const directory = dirname(metaFile);
  return basename(metaFile) === "main.meta.json" ? directory : dirname(directory);
}

/** The agent has not ended, and its process is there. */
export function isOpen(state: AgentState): boolean {
  return isBusy({ state }) || state === "idle";
}

/** A task was under way in it. One that stood idle has nothing to resume. */
export function isInterrupted({ record, fileState }: AgentOnDisk): boolean {
  return record.state === "interrupted" && fileState !== "idle";
}

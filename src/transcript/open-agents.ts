import { statSync } from "node:fs";
import { hasEnded } from "../events/agent-record.ts";
import { filesAtOnce, mapAtMost } from "../platform/gate.ts";
import {
  agentNow,
  isInterrupted,
  oldestFirst,
  readAsWritten,
  readStored,
  transcriptOf,
  type AgentAsWritten,
  type AgentOnDisk,
} from "./agent-on-disk.ts";
import { listUnmarkedAgents } from "./list-agents.ts";

/** Every agent below a config directory whose file has no end: it runs, or its process is gone. */
export function findOpenAgents(configDir: string): Promise<AgentOnDisk[]> {
  return new OpenAgents(configDir).look();
}

/**
 * Agents that were interrupted as far as their meta files tell, oldest first. Their transcripts are not read: one of
 * them may hold the end of its agent.
 */
export async function findLeftAgents(configDir: string): Promise<AgentOnDisk[]> {
  const listed = listUnmarkedAgents(configDir);
  const read = await mapAtMost(filesAtOnce, listed, ({ file }) => readStored(file));
  const agents = read.flatMap((found) => (found === undefined ? [] : agentNow(found)));
  return oldestFirst(agents.filter(isInterrupted));
}

/**
 * Finds open agents repeatedly. Files that have not changed since the last look are not read again. Each look checks whether
 * the process of an agent is there.
 */
export class OpenAgents {
  readonly #configDir: string;
  #known = new Map<string, Known>();

  constructor(configDir: string) {
    this.#configDir = configDir;
  }

  /** Oldest first. */
  async look(): Promise<AgentOnDisk[]> {
    const listed = listUnmarkedAgents(this.#configDir);
    const known = await mapAtMost(filesAtOnce, listed, ({ file }) => this.#read(file));
    this.#known = new Map(known.map((one) => [one.file, one]));
    const found = known.flatMap(({ found }) => found ?? []);
    return oldestFirst(found.filter(({ stored }) => !hasEnded(stored)).map(agentNow));
  }

  async #read(file: string): Promise<Known> {
    const [own, transcript] = [stampOf(file), stampOf(transcriptOf(file))];
    const stamp = own && transcript && `${own} ${transcript}`;
    const known = this.#known.get(file);
    if (stamp !== undefined && stamp === known?.stamp) return known;
    return { file, stamp, found: own === absent ? undefined : await readAsWritten(file) };
  }
}

interface Known {
  readonly file: string;
  readonly stamp: string | undefined;
  readonly found: AgentAsWritten | undefined;
}

const absent = "absent";

/** Longer than a tick of any file system's clock. */
const settledMs = 2000;

/** Identifies one version of a file. A file that was just written has none: the next write may have the same time. */
function stampOf(path: string): string | undefined {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return Date.now() - mtimeMs < settledMs ? undefined : `${ino}/${size}/${mtimeMs}`;
  } catch {
    return absent;
  }
}

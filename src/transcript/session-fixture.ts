import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownProcess } from "../processes/process-identity.ts";
import { introduce, type AgentRecord, type AgentState } from "../events/agent-record.ts";
import type { AgentId, SessionId } from "../contract/ids.ts";
import type { Lease } from "./lease/lease.ts";
import { metaOf } from "./meta.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

export const day = 86_400_000;

/** A config directory with a `projects` directory in it, gone after the test. */
export function configDirectory(): string {
  const root = temporaryDirectory();
  mkdirSync(join(root, "projects"));
  return root;
}

interface AgentFile {
  state?: AgentState;
  pid?: number;
  pidStart?: string;
  name?: string;
}

/** The text of an agent's meta file; by default of one that has completed in a process that is gone. */
export function metaText(sessionId: string, agentId: string, agent: AgentFile = {}): string {
  const { state = "completed", pid = 1, pidStart = "gone", name = null } = agent;
  const header = { agentId: agentId as AgentId, sessionId: sessionId as SessionId, at: 1 };
  const identity = {
    ...{ type: "worker", name, description: "", color: null, model: "m", modelFrom: "default" },
    ...{ scripted: true, maxTurns: 1, cwd: "/", parentId: null, depth: 1, toolUseId: null },
    ...{ standing: false, background: false },
  };
  const record: AgentRecord = { ...introduce(header, identity), state };
  return JSON.stringify(metaOf(record, { pid, pidStart }));
}

const { pid: ownPid, pidStart: ownStart } = ownProcess();
export const alive = { pid: ownPid, pidStart: ownStart };

/** The text of a session's lease; by default this process is the owner. */
export function leaseText(changes: Partial<Lease> = {}): string {
  return JSON.stringify({
    ...ownProcess(),
    token: "t",
    socket: null,
    beatAt: Date.now(),
    ...changes,
  });
}

/** A session of ours with everything that one may have, last used so many days ago. */
export function addSession(
  configDir: string,
  sessionId: string,
  { days, project = "p", main = {} }: { days: number; project?: string; main?: AgentFile },
): string {
  const directory = join(configDir, "projects", project, sessionId);
  const files = {
    [`../${sessionId}.jsonl`]: "{}\n",
    "main.meta.json": metaText(sessionId, `main-${sessionId}`, main),
    "subagents/agent-a1.jsonl": "{}\n",
    "subagents/agent-a1.meta.json": metaText(sessionId, "a1"),
    "tool-results/a1.txt": "long",
    "inbox/q1.json": "{}",
    "audit.jsonl": "{}\n",
  };
  for (const [name, text] of Object.entries(files)) writeOld(join(directory, name), text, days);
  return directory;
}

export function writeOld(path: string, text: string, days: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const then = (Date.now() - days * day) / 1000;
  utimesSync(path, then, then);
}

/** Every entry below a directory, links as themselves, sorted. */
export function tree(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .flatMap((entry) => [
      entry.name,
      ...(entry.isDirectory()
        ? tree(join(directory, entry.name)).map((name) => `${entry.name}/${name}`)
        : []),
    ])
    .toSorted();
}

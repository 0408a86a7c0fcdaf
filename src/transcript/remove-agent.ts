import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { RetinueError } from "../errors.ts";
import { holdDirectory } from "../platform/hold-directory.ts";
import { removeTree, unlessGone } from "../platform/remove-tree.ts";
import { realPath } from "../platform/real-path.ts";
import { isOpen, readAgent, type AgentOnDisk } from "./meta.ts";
import { readTranscript } from "./reader.ts";
import { removeSession } from "./retention.ts";
import { agentsIn, hasLease } from "./session-directory.ts";

/**
 * Removes everything that an ended agent has on disk: its transcript, long results and outputs of its own, plans, and the
 * small file beside the transcript, which goes last: until then a second call finds the agent and finishes. Questions and
 * answers stay in the session's audit log. With the last agent of a session the whole session goes, unless this process
 * has it open or another one holds it.
 *
 * Throws `agent_busy` for an agent that has not ended, and for a main agent while another of its session runs.
 */
export async function removeAgent(
  agent: AgentOnDisk,
  { sessionIsOpen }: { sessionIsOpen: boolean },
): Promise<void> {
  const { agentId, sessionId } = agent.meta.retinue;
  refuseBusy(agent);
  const isMain = basename(agent.file) === "main.meta.json";
  const directory = isMain ? dirname(agent.file) : dirname(dirname(agent.file));
  if (isMain) await refuseWithBusyChildren(directory, agentId);
  for (const file of await filesOf(agent, directory)) await removeTree(file);
  await removeTree(agent.transcript);
  await removeTree(agent.file);
  if (sessionIsOpen || (await agentsIn(directory, sessionId)) !== undefined) return;
  await removeRest(directory, sessionId);
}

function refuseBusy({ meta, state }: AgentOnDisk): void {
  if (!isOpen(state)) return;
  const { agentId, pid } = meta.retinue;
  throw new RetinueError(
    "agent_busy",
    `Agent ${agentId} is ${state} in process ${pid}. Stop it first, then remove it.`,
  );
}

async function refuseWithBusyChildren(directory: string, agentId: string): Promise<void> {
  const children = join(directory, "subagents");
  const names = (await unlessGone(() => readdir(children))) ?? [];
  for (const name of names.filter((name) => name.endsWith(".meta.json"))) {
    const child = await readAgent(join(children, name));
    if (child === undefined || !isOpen(child.state)) continue;
    throw new RetinueError(
      "agent_busy",
      `Agent ${agentId} is the main agent of ${child.meta.retinue.agentId}, which is ${child.state}. Stop that one first.`,
    );
  }
}

/** What lies in the session's other directories under its name, and what its calls wrote down. */
async function filesOf(agent: AgentOnDisk, directory: string): Promise<string[]> {
  const { agentId } = agent.meta.retinue;
  const entries = await readTranscript(agent.transcript);
  const calls = entries.flatMap((entry) =>
    entry.kind === "answer" && entry.block?.type === "tool_use" ? [entry.block.id] : [],
  );
  const results = new Set(calls.map((id) => `${id.replaceAll(/[^\w-]/g, "_")}.txt`));
  const isOwn = (name: string): boolean =>
    name === agentId || name.startsWith(`${agentId}.`) || name === `${agentId}-plan.md`;
  const found: string[] = [];
  const rooms = (await unlessGone(() => readdir(directory, { withFileTypes: true }))) ?? [];
  for (const room of rooms) {
    if (!room.isDirectory() || room.name === "subagents") continue;
    const names = (await unlessGone(() => readdir(join(directory, room.name)))) ?? [];
    const own = names.filter(
      (name) => isOwn(name) || (room.name === "tool-results" && results.has(name)),
    );
    found.push(...own.map((name) => join(directory, room.name, name)));
  }
  return found;
}

/** What is left without any agent belongs to nobody, and no later look would know whose it was. */
async function removeRest(directory: string, sessionId: string): Promise<void> {
  if (await hasLease(directory)) return;
  using project = holdDirectory(realPath(dirname(directory)));
  await removeSession(project, sessionId);
}

import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { RetinueError } from "../contract/errors.ts";
import { holdDirectory } from "../platform/files/hold-directory.ts";
import { removeTree, unlessGone } from "../platform/files/remove-tree.ts";
import { realPath } from "../platform/files/real-path.ts";
import { filesOfAgent } from "./files-of-agent.ts";
import { isOpen, readAgent, sessionDirectory, type AgentOnDisk } from "./agent-on-disk.ts";
import { removeSession } from "./retention.ts";
import { isHeld } from "./lease/liveness.ts";
import { agentsIn } from "./session-directory.ts";
import { draftOf } from "./write-meta.ts";

/**
 * Removes all files of an ended agent: its transcript, long results and outputs of its own, plans, open questions, and
 * the meta file, which goes last: until then a second call finds the agent and finishes. Requests and answers stay in
 * the session's audit log. With the last agent of a session the whole session goes, unless this process has it open or
 * another one holds it.
 *
 * Throws `agent_busy` for an agent that has not ended, and for a main agent while another of its session runs.
 */
export async function removeAgent(
  agent: AgentOnDisk,
  { sessionIsOpen }: { sessionIsOpen: boolean },
): Promise<void> {
  const { id: agentId, sessionId } = agent.record;
  const isMain = basename(agent.file) === "main.meta.json";
  const directory = sessionDirectory(agent.file);
  refuseBusy(agent);
  if (!sessionIsOpen) refuseUnended(agent, directory);
  if (isMain) await refuseWithBusyChildren(directory, agentId);
  const rest = await filesOfAgent(agent, directory);
  const files = [...rest, agent.transcript, draftOf(agent.file), agent.file];
  for (const file of files) await removeTree(file);
  if (sessionIsOpen || (await agentsIn(directory, sessionId)) !== undefined) return;
  await removeRest(directory, sessionId);
}

function refuseBusy({ record, runner }: AgentOnDisk): void {
  const { id, state } = record;
  if (!isOpen(state)) return;
  throw new RetinueError(
    "agent_busy",
    `Agent ${id} is ${state} in process ${runner.pid}. Stop it first, then remove it.`,
  );
}

/** Refuses an agent that has not ended while its session has an owner, which may be about to resume it. */
function refuseUnended({ record, fileState }: AgentOnDisk, directory: string): void {
  const { id: agentId, sessionId } = record;
  if (!isOpen(fileState) || !isHeld(directory)) return;
  throw new RetinueError(
    "agent_busy",
    `Agent ${agentId} has not ended, and a process has its session ${sessionId} open. Stop the agent or end that process first, then remove it.`,
  );
}

async function refuseWithBusyChildren(directory: string, agentId: string): Promise<void> {
  const children = join(directory, "subagents");
  const names = (await unlessGone(() => readdir(children))) ?? [];
  for (const name of names.filter((name) => name.endsWith(".meta.json"))) {
    const child = await readAgent(join(children, name));
    if (child === undefined || !isOpen(child.record.state)) continue;
    throw new RetinueError(
      "agent_busy",
      `Agent ${agentId} is the main agent of ${child.record.id}, which is ${child.record.state}. Stop that one first.`,
    );
  }
}

/** Removes the session of the last agent. Files without any agent have no owner that a later look could find. */
async function removeRest(directory: string, sessionId: string): Promise<void> {
  if (isHeld(directory)) return;
  using project = holdDirectory(realPath(dirname(directory)));
  await removeSession(project, sessionId);
}

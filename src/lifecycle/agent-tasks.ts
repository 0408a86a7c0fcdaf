import { parseAgentId, type AgentId } from "../ids.ts";
import { endsWithin } from "../tools/ends-within.ts";
import { unknownTask, type TaskReport, type Tasks } from "../tools/tasks.ts";
import type { EndedAgent } from "../transcript/ended-agent.ts";
import { readResultText } from "../transcript/read-result.ts";
import type { Registry } from "./registry.ts";
import type { RunningAgent } from "./running-agent.ts";
import type { Session } from "./session.ts";

/** The agents below one agent, as its tools see them; those that have left memory, as their files tell it. */
export function agentTasks(asker: AgentId, registry: Registry, session: Session): Tasks {
  const find = (text: string): RunningAgent | EndedAgent => {
    const id = parseAgentId(text);
    const found = id === undefined ? undefined : (registry.get(id) ?? registry.onDisk(id));
    if (found === undefined || !isBelow(parentOf(found), asker, registry)) throw unknownTask(text);
    return found;
  };
  return {
    async output(id, { block, timeoutMs }, signal) {
      const found = find(id);
      if ("retinue" in found) return reportOnDisk(found, session);
      const isLate = block && found.isBusy && !(await endsWithin(found.ended, timeoutMs, signal));
      return reportOf(found, isLate, session);
    },
    async stop(id) {
      const found = find(id);
      if ("retinue" in found) return { ...(await reportOnDisk(found, session)), died: 0 };
      const { processes } = await registry.stop(found, "stopped by its parent");
      return { ...reportOf(found, false, session), died: processes };
    },
  };
}

function isBelow(parentId: AgentId | null, asker: AgentId, registry: Registry): boolean {
  if (parentId === null || parentId === asker) return parentId !== null;
  const parent = registry.get(parentId) ?? registry.onDisk(parentId);
  return parent !== undefined && isBelow(parentOf(parent), asker, registry);
}

function parentOf(found: RunningAgent | EndedAgent): AgentId | null {
  if ("retinue" in found) return found.retinue.parentId as AgentId | null;
  return found.agent.relates.parentId;
}

async function reportOnDisk(
  { retinue, description }: EndedAgent,
  { paths }: Session,
): Promise<TaskReport> {
  const { state, error, background } = retinue;
  const id = retinue.agentId as AgentId;
  return {
    id,
    kind: "agent",
    state,
    content: await readResultText(paths.transcript(id)),
    outputFile: background ? paths.taskOutput(id) : null,
    ...(error === undefined ? {} : { error }),
    timedOut: false,
    description,
  };
}

function reportOf(running: RunningAgent, timedOut: boolean, { paths }: Session): TaskReport {
  const { agent, state, content, result, isBackground } = running;
  return {
    id: agent.id,
    kind: "agent",
    state,
    content,
    outputFile: isBackground ? paths.taskOutput(agent.id) : null,
    ...(result?.state === "failed" ? { error: result.error } : {}),
    timedOut,
    description: agent.description,
  };
}

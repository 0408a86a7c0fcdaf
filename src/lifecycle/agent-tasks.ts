import { parseAgentId, type AgentId } from "../ids.ts";
import { endsWithin } from "../platform/ends-within.ts";
import { unknownTask, type TaskReport, type Tasks } from "../tools/tasks.ts";
import type { EndedAgent } from "../transcript/ended-agent.ts";
import { readResultText } from "../transcript/read-result.ts";
import { hasLeft, identityOf, type FoundAgent } from "./found-agent.ts";
import type { Registry } from "./registry.ts";
import type { RunningAgent } from "./running-agent.ts";
import type { Session } from "./session.ts";

/** The agents below one agent, as its tools see them; those that have left memory, as their files tell it. */
export function agentTasks(asker: AgentId, registry: Registry, session: Session): Tasks {
  const find = (text: string): FoundAgent => {
    const id = parseAgentId(text);
    const found = id && registry.find(id);
    if (found === undefined || !isBelow(found, asker, registry)) throw unknownTask(text);
    return found;
  };
  return {
    async output(id, { block, timeoutMs }, signal) {
      const found = find(id);
      if (hasLeft(found)) return reportOnDisk(found, session);
      const isLate = block && found.isBusy && !(await endsWithin(found.ended, timeoutMs, signal));
      return reportOf(found, isLate, session);
    },
    async stop(id) {
      const found = find(id);
      if (hasLeft(found)) return { ...(await reportOnDisk(found, session)), died: 0 };
      const { processes } = await registry.stop(found, "stopped by its parent");
      return { ...reportOf(found, false, session), died: processes };
    },
  };
}

function isBelow(found: FoundAgent, asker: AgentId, registry: Registry): boolean {
  const { parentId } = identityOf(found);
  if (parentId === null || parentId === asker) return parentId !== null;
  const parent = registry.find(parentId);
  return parent !== undefined && isBelow(parent, asker, registry);
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

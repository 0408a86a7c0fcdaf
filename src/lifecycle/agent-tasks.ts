import { parseAgentId, type AgentId } from "../ids.ts";
import { endsWithin } from "../tools/ends-within.ts";
import { unknownTask, type TaskReport, type Tasks } from "../tools/tasks.ts";
import type { Registry } from "./registry.ts";
import type { RunningAgent } from "./running-agent.ts";
import type { Session } from "./session.ts";

/** The agents below one agent, as its tools see them. */
export function agentTasks(asker: AgentId, registry: Registry, session: Session): Tasks {
  const find = (text: string): RunningAgent => {
    const id = parseAgentId(text);
    const running = id === undefined ? undefined : registry.get(id);
    if (running === undefined || !isBelow(running, asker, registry)) throw unknownTask(text);
    return running;
  };
  return {
    async output(id, { block, timeoutMs }, signal) {
      const running = find(id);
      const isLate =
        block && running.isBusy && !(await endsWithin(running.ended, timeoutMs, signal));
      return reportOf(running, isLate, session);
    },
    async stop(id) {
      const running = find(id);
      const { processes } = await registry.stop(running, "stopped by its parent");
      return { ...reportOf(running, false, session), died: processes };
    },
  };
}

function isBelow({ agent }: RunningAgent, asker: AgentId, registry: Registry): boolean {
  const { parentId } = agent.relates;
  if (parentId === null || parentId === asker) return parentId !== null;
  const parent = registry.get(parentId);
  return parent !== undefined && isBelow(parent, asker, registry);
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

import { isBusy, type AgentRecord } from "../events/agent-record.ts";
import { parseAgentId, type AgentId } from "../contract/ids.ts";
import { endsWithin } from "../platform/ends-within.ts";
import { unknownTask, type TaskReport, type Tasks } from "../tools/agents/tasks.ts";
import { readResultText } from "../transcript/read-result.ts";
import type { Registry } from "./registry.ts";
import type { Session } from "./session.ts";

/** Descendants of one agent, as its tools see them. */
export function agentTasks(asker: AgentId, registry: Registry, session: Session): Tasks {
  const find = (text: string): AgentRecord => {
    const id = parseAgentId(text);
    const record = id && registry.record(id);
    if (record === undefined || !isBelow(record, asker, registry)) throw unknownTask(text);
    return record;
  };
  const report = async (id: AgentId, timedOut: boolean): Promise<TaskReport> => {
    const record = registry.record(id);
    if (record === undefined) throw unknownTask(id);
    const { state, end, background, description } = record;
    const content =
      registry.get(id)?.content ?? (await readResultText(session.paths.transcript(id)));
    return {
      id,
      kind: "agent",
      state,
      content,
      outputFile: background ? session.paths.taskOutput(id) : null,
      ...(end?.state === "failed" ? { error: end.error } : {}),
      timedOut,
      description,
    };
  };
  return {
    async output(text, { block, timeoutMs }, signal) {
      const record = find(text);
      const running = registry.get(record.id);
      const waits = block && isBusy(record) && running !== undefined;
      const isLate = waits && !(await endsWithin(running.ended, timeoutMs, signal));
      return report(record.id, isLate);
    },
    async stop(text) {
      const { id } = find(text);
      const running = registry.get(id);
      const died = running && (await registry.stop(running, "stopped by its parent"));
      return { ...(await report(id, false)), died: died?.processes ?? 0 };
    },
  };
}

function isBelow({ parentId }: AgentRecord, asker: AgentId, registry: Registry): boolean {
  if (parentId === null || parentId === asker) return parentId !== null;
  const parent = registry.record(parentId);
  return parent !== undefined && isBelow(parent, asker, registry);
}

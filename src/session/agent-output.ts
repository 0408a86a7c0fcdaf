import type { AgentFailure, AgentFigures } from "../contract/agent-result.ts";
import { RetinueError } from "../contract/errors.ts";
import type { AgentId } from "../contract/ids.ts";
import { failureOf, runFigures, type AgentState } from "../events/agent-record.ts";
import { endsWithin } from "../platform/ends-within.ts";
import type { SessionRuntime } from "./session-runtime.ts";
import { readResultText } from "../transcript/read-result.ts";

export interface AgentOutput {
  agentId: AgentId;
  state: AgentState;
  /** The result, or the agent's latest text so far. */
  content: string;
  /** Present once the agent has ended. */
  metrics?: AgentFigures;
  error?: AgentFailure;
  /** Whether the wait ended before the agent. The agent continues. */
  timedOut: boolean;
}

/** The result of an agent so far. With `block` it waits for the end, at most `timeout` milliseconds. */
export async function outputOf(
  agentId: AgentId,
  { block, timeout }: { block?: boolean; timeout?: number | undefined },
  { registry, session }: SessionRuntime,
): Promise<AgentOutput> {
  const running = registry.get(agentId);
  const waits = block === true && running?.isBusy === true;
  const timedOut = waits && !(await endsWithin(running.ended, timeout));
  const record = registry.record(agentId);
  if (record === undefined) throw new RetinueError("unknown_task", `unknown task_id: ${agentId}`);
  const { state, end, depth } = record;
  const { paths } = session;
  const transcript = depth === 0 ? paths.mainTranscript : paths.transcript(agentId);
  const error = failureOf(record);
  return {
    agentId,
    state,
    content: running?.content ?? (await readResultText(transcript)),
    ...(end === null ? {} : { metrics: runFigures(record, session.clock.now()) }),
    ...(error === undefined ? {} : { error }),
    timedOut,
  };
}

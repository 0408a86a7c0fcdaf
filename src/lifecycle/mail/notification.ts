import type { AgentResult } from "../../contract/agent-result.ts";
import type { AgentRecord } from "../../events/agent-record.ts";
import type { AgentId } from "../../contract/ids.ts";
import type { Mail } from "../../loop/mail.ts";
import { totalTokens } from "../../contract/message.ts";
import { deniedText } from "../../tools/agents/denied-text.ts";
import { taskNotification } from "../../tools/agents/task-notification.ts";
import type { RunningAgent } from "../running-agent.ts";
import type { Session } from "../session.ts";

/** The end of a child's run. */
export interface ChildEnd {
  readonly id: AgentId;
  readonly description: string;
  /** The call that requested the child. */
  readonly toolUseId: string | null;
  readonly result: AgentResult;
  /** The number of runs that have ended. */
  readonly runs: number;
  readonly endedAt: number;
  /** The unredacted text of the result, if it is still in memory. */
  readonly words?: string | undefined;
}

/** The end of a child in memory; takes its unredacted text. */
export function endOf(running: RunningAgent): ChildEnd | undefined {
  const { record, result } = running;
  return result === undefined
    ? undefined
    : { ...childEnd(record, result), words: running.takeWords() };
}

/** The end of the last run of a child. */
export function childEnd(record: AgentRecord, result: AgentResult): ChildEnd {
  const { id, description, toolUseId, runs, endedAt } = record;
  return { id, description, toolUseId, result, runs, endedAt: endedAt ?? 0 };
}

/** The notification to a parent that a background agent has ended. The same end always has the same mail id. */
export function endNotification(end: ChildEnd, { limits, paths }: Session): Mail {
  const { id, result, runs } = end;
  const words = (end.words ?? result.content).slice(0, limits.resultCharacters);
  const said = [words, deniedText(result.deniedCalls, id) ?? ""].filter(Boolean).join("\n");
  const text = taskNotification({
    taskId: id,
    toolUseId: end.toolUseId ?? undefined,
    outputFile: result.contentFile ?? paths.taskOutput(id),
    status: result.state,
    summary: `Agent "${end.description}" ${endings[result.state]}${why(result)}`,
    result: said.toWellFormed(),
    usage: {
      tokens: totalTokens(result.lastUsage),
      toolUses: result.toolUses,
      durationMs: result.durationMs,
    },
  });
  return { id: endMailId(id, runs), text, source: "notification" };
}

/** The mail id of the notification about the end of a run. */
export function endMailId(id: AgentId, runs: number): string {
  return `${id}/${runs}`;
}

const endings = { completed: "finished", failed: "failed", stopped: "was stopped" } as const;

function why(result: AgentResult): string {
  if (result.state === "failed") return ` (${result.error.code}): ${result.error.message}`;
  return result.state === "stopped" ? `: ${result.reason}` : "";
}

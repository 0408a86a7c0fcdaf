import type { Mail } from "../loop/mail.ts";
import { totalTokens } from "../message.ts";
import { deniedText } from "../tools/denied-text.ts";
import { taskNotification } from "../tools/task-notification.ts";
import type { RunningAgent } from "./running-agent.ts";
import type { Session } from "./session.ts";

/** What a parent reads when an agent that it did not wait for has ended. The same end is always the same piece of mail. */
export function endNotification(running: RunningAgent, session: Session): Mail | undefined {
  const { agent, result, runs } = running;
  if (result === undefined) return undefined;
  const { limits, paths } = session;
  const words = (running.takeWords() ?? result.content).slice(0, limits.resultCharacters);
  const said = [words, deniedText(result.deniedCalls, agent.id) ?? ""].filter(Boolean).join("\n");
  const text = taskNotification({
    taskId: agent.id,
    toolUseId: agent.relates.toolUseId ?? undefined,
    outputFile: result.contentFile ?? paths.taskOutput(agent.id),
    status: result.state,
    summary: `Agent "${agent.description}" ${endings[result.state]}${why(running)}`,
    result: said.toWellFormed(),
    usage: {
      tokens: totalTokens(result.lastUsage),
      toolUses: result.toolUses,
      durationMs: result.durationMs,
    },
  });
  return { id: `${agent.id}/${runs}`, text, source: "notification" };
}

const endings = { completed: "finished", failed: "failed", stopped: "was stopped" } as const;

function why({ result }: RunningAgent): string {
  if (result?.state === "failed") return ` (${result.error.code}): ${result.error.message}`;
  return result?.state === "stopped" ? `: ${result.reason}` : "";
}

import type { AgentResult } from "./contract/agent-result.ts";
import { RetinueError } from "./contract/errors.ts";
import type { AgentId } from "./contract/ids.ts";
import { refuseWhenOver } from "./lifecycle/life.ts";
import { sentMail } from "./lifecycle/mail/sent-mail.ts";
import {
  backgroundChildrenOf,
  mailOfChildren,
  unreadEnds,
} from "./lifecycle/mail/mail-of-children.ts";
import { claimOf } from "./lifecycle/queue/claim.ts";
import type { SessionRuntime } from "./session/session-runtime.ts";

/** Gives an idle agent one task, in its own history, and waits for the result. Throws `agent_busy` for any other agent. */
export async function giveTask(
  id: AgentId,
  prompt: string,
  timeout: number | undefined,
  runtime: SessionRuntime,
): Promise<AgentResult> {
  const { registry, session } = runtime;
  const about = backgroundChildrenOf(id, registry);
  const hasRead = (mailId: string): boolean => registry.get(id)?.hasRead(mailId) ?? false;
  const gone = await unreadEnds(id, hasRead, runtime);
  refuseWhenOver(session);
  if (prompt === "") {
    throw new RetinueError(
      "invalid_request",
      "process() needs a task. Pass a prompt that says what the agent should do.",
    );
  }
  const state = registry.record(id)?.state;
  if (state === undefined) throw new RetinueError("unknown_task", `unknown task_id: ${id}`);
  const running = registry.get(id);
  if (running === undefined || state !== "idle") {
    throw new RetinueError(
      "agent_busy",
      `Agent ${id} is ${state}; process() needs an idle agent. Spawn it without a prompt, or wait until its task has ended.`,
    );
  }
  const ticket = session.slots.reserve(claimOf(running.agent));
  const task = {
    prompt,
    source: "human",
    timeout: timeout ?? session.limits.processTimeout,
  } as const;
  const mail = [
    ...sentMail(session.paths.mail(id)),
    ...mailOfChildren(id, { about, gone }, runtime),
  ];
  await registry.start(running, task, { ticket, follow: null, mail });
  return running.ended;
}

import { errorMessage, RetinueError } from "./contract/errors.ts";
import type { AgentRecord } from "./events/agent-record.ts";
import type { AgentId } from "./contract/ids.ts";
import type { RunningAgent } from "./lifecycle/running-agent.ts";
import { keepMessage } from "./lifecycle/mail/sent-mail.ts";
import type { SessionRuntime } from "./session/session-runtime.ts";

/** Confirms that a message is stored. An agent that ends before reading it reads it when it is resumed. */
export interface Receipt {
  messageId: string;
  agentId: AgentId;
}

export async function sendMessage(
  { id, state }: AgentRecord,
  text: string,
  { registry, session }: SessionRuntime,
): Promise<Receipt> {
  if (text.trim() === "")
    throw new RetinueError("invalid_request", "The message is empty. Write a text.");
  const running = registry.get(id);
  if (running?.readsMail !== true) {
    throw new RetinueError(
      "agent_ended",
      `Agent ${id} is ${state} and reads no more messages. Resume it with the message instead.`,
    );
  }
  const { paths, redactor, clock, disk } = session;
  const message = { text: redactor.text(text), at: clock.now() };
  const kept = await storing(() => keepMessage(paths.mail(id), message, disk));
  registry.post(id, { ...kept, text });
  return { messageId: kept.id, agentId: id };
}

/** Runs a write to disk. Throws `storage` with the remedy if the disk refuses it. */
async function storing<Kept>(work: () => Promise<Kept>): Promise<Kept> {
  try {
    return await work();
  } catch (error) {
    throw new RetinueError(
      "storage",
      `The message cannot be written: ${errorMessage(error)}. Free space or check permissions, and send it again.`,
      { cause: error },
    );
  }
}

export async function moveToBackground(
  { id, state, parentId }: AgentRecord,
  { registry, session }: SessionRuntime,
): Promise<RunningAgent> {
  const running = registry.get(id);
  if (!session.allowsBackground) {
    throw new RetinueError(
      "unsupported",
      "Work in the background is switched off. Unset CLAUDE_CODE_DISABLE_BACKGROUND_TASKS.",
    );
  }
  if (running?.isBusy !== true) {
    throw new RetinueError(
      "agent_ended",
      `Agent ${id} is ${state}, so its parent does not wait for it. Name a running agent.`,
    );
  }
  if (parentId === null) {
    throw new RetinueError(
      "invalid_request",
      `Agent ${id} has no parent that waits for it. Name one of its children.`,
    );
  }
  await registry.background(running);
  return running;
}

import type { Contribution, StartedRun } from "./opening.ts";

/** Attaches the definition's attachments to the first message of an agent; a later run has them in its history. */
export function openFirstMessage({ agent, history }: StartedRun): Contribution {
  return { attached: history.messages.length === 0 ? agent.sees.attachments : [] };
}

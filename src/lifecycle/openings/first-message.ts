import type { Contribution, StartedRun } from "./opening.ts";

/** Attaches to the first message of an agent what its definition shows it; a later run has it in its history. */
export function openFirstMessage({ agent, history }: StartedRun): Contribution {
  return { attached: history.messages.length === 0 ? agent.sees.attachments : [] };
}

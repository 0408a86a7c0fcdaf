import type { PromptSource } from "../events/event.ts";
import type { LoopContext } from "./loop-context.ts";

/** A text that arrives for an agent while it works. */
export interface Mail {
  /** Id, which keeps the mail from being delivered twice. */
  readonly id: string;
  readonly text: string;
  readonly source: Extract<PromptSource, "message" | "notification">;
}

/** The queue of an agent's mail, read at each turn boundary. */
export interface MailSlot {
  /** Removes and returns the queued mail, oldest first. */
  take(): readonly Mail[];
  /** Whether open background work will report when it ends. */
  readonly expects: boolean;
  /** Resolves when mail is queued or nothing is expected any more. Rejects with the signal's reason. */
  arrival(signal: AbortSignal): Promise<void>;
  /** Delivers nothing from now on. */
  close(): void;
}

/** Emits the queued mail, and returns it as texts for the next message to the model. */
export function readMail({ mail, report }: LoopContext): string[] {
  return mail.take().map(({ id: mailId, text, source }) => {
    report.emit({ type: "prompt", text, source, attachments: [], mailId });
    return text;
  });
}

/**
 * Reads the mail that is left at a final answer, before the agent may end. The agent waits for open background work, so
 * that no result is lost because its parent had nothing more to say. Null: it was asked for its report meanwhile.
 */
export async function readLastMail(context: LoopContext, turn: number): Promise<string[] | null> {
  const { mail, steps, signal, wrapUp } = context;
  for (;;) {
    const texts = readMail(context);
    if (texts.length > 0) return texts;
    // An agent that expects nothing is done, even if a report was requested just now.
    if (!mail.expects) break;
    if (wrapUp.asked !== undefined) return null;
    try {
      await steps.wait(`mail/${turn}`, "child", () => mail.arrival(signal));
    } catch (error) {
      if (wrapUp.asked === undefined) throw error;
    }
  }
  mail.close();
  return [];
}

import type { PromptSource } from "../events/event.ts";
import type { LoopContext } from "./loop-context.ts";

/** A text for an agent that comes while it works. */
export interface Mail {
  /** What it is known by, so that it is told once. */
  readonly id: string;
  readonly text: string;
  readonly source: Extract<PromptSource, "message" | "notification">;
}

/** Where an agent's mail lies until it looks: at each turn boundary. */
export interface MailSlot {
  /** What has come, oldest first; it is taken out. */
  take(): readonly Mail[];
  /** Work in the background is open that will report when it ends. */
  readonly expects: boolean;
  /** Resolves when there is something to take or nothing is expected any more. Rejects with the signal's reason. */
  arrival(signal: AbortSignal): Promise<void>;
  /** Nothing is taken from now on. */
  close(): void;
}

/** Tells what has come, and gives it as texts for the next message to the model. */
export function readMail({ mail, report }: LoopContext): string[] {
  return mail.take().map(({ id: mailId, text, source }) => {
    report.emit({ type: "prompt", text, source, attachments: [], mailId });
    return text;
  });
}

/**
 * At a final answer: what else the agent has to read before it may end. While work in the background is open it waits for
 * that, so no result is lost because its parent had nothing more to say. Null: meanwhile it was asked for its report.
 */
export async function readLastMail(context: LoopContext, turn: number): Promise<string[] | null> {
  const { mail, steps, signal, wrapUp } = context;
  for (;;) {
    const texts = readMail(context);
    if (texts.length > 0) return texts;
    // An agent that has nothing to wait for is done, even if somebody asked for a report just now.
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

import type { ResolvedAgent } from "../contract/resolved-agent.ts";
import type { AgentRecord } from "../events/agent-record.ts";
import type { AgentEventBody, PromptSource } from "../events/event.ts";
import type { History } from "../loop/loop-context.ts";
import type { Mail, MailSlot } from "../loop/mail.ts";
import type { WrapUp } from "../loop/wrap-up.ts";
import type { TranscriptRecorder } from "../transcript/recorder.ts";
import type { Ticket } from "./queue/slots.ts";
import type { RunEnding } from "./run-ending.ts";
import type { Session } from "./session.ts";

export interface RunTask {
  /** Null: it goes on with the task at which it was interrupted. */
  readonly prompt: string | null;
  readonly source: PromptSource;
  readonly timeout: number;
}

/** One run of one agent: the task and everything it needs that is not in the frozen record. */
export interface AgentRun {
  readonly agent: ResolvedAgent;
  readonly task: RunTask;
  /** Which run of the agent it is: 1, 2, … */
  readonly number: number;
  readonly history: History;
  /** The agent's record as the run begins. */
  readonly record: AgentRecord;
  readonly mail: MailSlot & { post(mail: Mail): boolean };
  /** How it meets the user; an approved plan changes that while it runs. */
  readonly meets: () => ResolvedAgent["meets"];
  /** Nobody waits for it; that may change while it runs. */
  readonly isBackground: () => boolean;
  readonly ticket: Ticket;
  readonly session: Session;
  readonly recorder: TranscriptRecorder;
  readonly abort: AbortController;
  /** How it is ended once it is aborted. */
  readonly ending: RunEnding;
  /** Where the agent is asked to report and end. */
  readonly wrapUp: WrapUp;
  /** Hears everything as it is, secrets too; for a standing agent's own use. */
  readonly remember?: ((body: AgentEventBody) => void) | undefined;
  /** Takes the result's text as it is: the parent's model reads that one. */
  readonly deliver: (content: string) => void;
}

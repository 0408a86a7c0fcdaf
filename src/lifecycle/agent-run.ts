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
  /** The task; `null`: the agent resumes its interrupted task. */
  readonly prompt: string | null;
  readonly source: PromptSource;
  readonly timeout: number;
}

/** One run of one agent: the task, and everything for it that is not in the frozen record. */
export interface AgentRun {
  readonly agent: ResolvedAgent;
  readonly task: RunTask;
  /** Number of the run, from 1. */
  readonly number: number;
  readonly history: History;
  /** The agent's record as the run begins. */
  readonly record: AgentRecord;
  readonly mail: MailSlot & { post(mail: Mail): boolean };
  /** Permissions and environment as of now; an approved plan changes them during the run. */
  readonly meets: () => ResolvedAgent["meets"];
  /** Whether the agent runs in the background; that may change during the run. */
  readonly isBackground: () => boolean;
  readonly ticket: Ticket;
  readonly session: Session;
  readonly recorder: TranscriptRecorder;
  readonly abort: AbortController;
  /** Options for ending the run once it is aborted. */
  readonly ending: RunEnding;
  /** Means to ask the agent to report and end. */
  readonly wrapUp: WrapUp;
  /** Called with every event unredacted, secrets included; for a standing agent's own use. */
  readonly remember?: ((body: AgentEventBody) => void) | undefined;
  /** Called with the unredacted text of the result, which the parent's model reads. */
  readonly deliver: (content: string) => void;
}

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { AgentResult } from "../contract/agent-result.ts";
import { errorMessage } from "../contract/errors.ts";
import { advance, earlierRuns, runFigures, type AgentRecord } from "../events/agent-record.ts";
import type { AgentEvent, AgentEventBody, PromptSource } from "../events/event.ts";
import type { History } from "../loop/loop-context.ts";
import type { Mail, MailSlot } from "../loop/mail.ts";
import { begunCalls } from "../loop/pending.ts";
import { relay, type Report } from "../loop/relay.ts";
import { runLoop, type LoopOutcome } from "../loop/run-loop.ts";
import { Interruption, type WrapUp } from "../loop/wrap-up.ts";
import { ModelError } from "../model/model.ts";
import { writeFileAtomic } from "../platform/files/atomic-write.ts";
import type { ResolvedAgent } from "../contract/resolved-agent.ts";
import { hiddenFromSearches } from "../permissions/hidden.ts";
import { AgentSandbox } from "../platform/sandbox/agent-sandbox.ts";
import { toolSpec } from "../tools/tool.ts";
import { Workbench } from "../tools/workbench.ts";
import type { TranscriptRecorder } from "../transcript/recorder.ts";
import { StopCause } from "./abort.ts";
import { approvalsOf } from "./approvals/approvals.ts";
import { askAhead } from "./approvals/ask-ahead.ts";
import { boundedCleanup } from "./cleanup.ts";
import { Deadlines } from "./time/deadlines.ts";
import { enrolJudge } from "./approvals/enrol-judge.ts";
import { journalSteps } from "./history/journal.ts";
import { LastWords } from "./history/last-words.ts";
import type { Session } from "./session.ts";
import type { Ticket } from "./queue/slots.ts";
import { redactedEmit } from "./redacted-emit.ts";
import type { RunEnding } from "./run-ending.ts";
import { openModel } from "./openings/model.ts";
import { openSummaries } from "./summaries.ts";
import { summarize } from "./summarize.ts";
import { tightSandboxOf } from "./tight-sandbox-of.ts";
import { Waits } from "./time/waits.ts";

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

/**
 * THE lifecycle: every kind of agent in every mode is run by this generator. It yields events and returns the
 * result; it never throws. To end it early abort the run, then read it to its end: cleanup is part of it.
 */
export function runAgent(run: AgentRun): AsyncGenerator<AgentEvent, AgentResult> {
  return relay(async (reader: Report<AgentEvent>) => {
    const { agent, session } = run;
    // Ahead of the registry's: that one follows what is on disk.
    let { record } = run;
    const lastWords = new LastWords();
    const tell = redactedEmit(session.redactor, (event) => reader.emit(event));
    let isOver = false;
    const report: Report<AgentEventBody> = {
      emit: (body) => {
        // A loop that was left behind has nothing to say any more.
        if (isOver) return;
        const at = session.clock.now();
        const event: AgentEvent = { agentId: agent.id, sessionId: session.id, at, ...body };
        record = advance(record, event);
        lastWords.apply(event);
        run.remember?.(event);
        tell(event);
      },
      told: reader.told,
    };
    const ending = await live(run, report).then(
      (outcome) => endingOf(outcome, lastWords.text),
      (error: unknown) => {
        const { signal } = run.abort;
        return endingOfError(signal.aborted ? signal.reason : error, lastWords.text);
      },
    );
    const result: AgentResult = {
      ...runFigures(record, session.clock.now()),
      ...ending,
      ...(await spill(run, ending)),
    };
    run.deliver(ending.content);
    report.emit({ type: "agent-end", result });
    isOver = true;
    return session.redactor.deep(result);
  });
}

/** From the line to the loop. What it opens is closed on every way out, in reverse order. */
async function live(run: AgentRun, { emit, told }: Report<AgentEventBody>): Promise<LoopOutcome> {
  const { agent, session, ticket, recorder, wrapUp } = run;
  const { permissions } = agent.meets;
  const { signal } = run.abort;
  const cleanup = new AsyncDisposableStack();
  await using _ = boundedCleanup(cleanup, () =>
    session.logger.warn({ agentId: agent.id }, "the cleanup of an agent did not end"),
  );
  const { standing } = run.record;
  const { scripted } = session.models.for(agent);
  // After a resume its plan may be approved already.
  const current = { ...agent, meets: run.meets() };
  const summary = summarize(current, { scripted, standing, prompt: run.task.prompt });
  const isFirst = run.history.messages.length === 0;
  const earlier = earlierRuns(run.record);
  const introduction = earlier === undefined ? summary : { ...summary, earlier };
  const hasToWait = !ticket.held;
  if (hasToWait) {
    emit({ type: "agent-queued", position: ticket.position, agent: introduction });
    await ticket.whenHeld(signal);
  }
  emit({ type: "agent-start", agent: hasToWait ? summary : introduction });
  await told();

  const { timeout } = run.task;
  // Closed before the cleanup: what that takes is not the agent's time.
  using deadlines = new Deadlines({ timeout, limits: session.limits, wrapUp, emit });
  const report: Report<AgentEventBody> = {
    emit: (body) => {
      deadlines.hear(body);
      emit(body);
    },
    told,
  };
  const library = await session.sandbox?.open();
  const hides = hiddenFromSearches(permissions);
  const workbench = cleanup.use(
    new Workbench({
      agentId: agent.id,
      root: agent.cwd,
      resultsDir: session.paths.resultsDir,
      tasksDir: session.paths.tasksDir,
      ledger: session.ledger,
      hides,
      env: agent.meets.env,
      passes: agent.meets.passes,
      sandbox:
        library !== undefined && session.sandbox !== undefined
          ? new AgentSandbox(library, session.sandbox, agent.cwd)
          : undefined,
      tightSandbox: tightSandboxOf(agent, session, hides),
      redactor: session.redactor,
      ending: run.ending,
      notify: ({ mailId: id, text }) => {
        run.mail.post({ id, text, source: "notification" });
      },
    }),
  );
  const approvals = approvalsOf(run);
  cleanup.defer(() => session.denials.forget(agent.id));
  const ahead = cleanup.use(await askAhead(agent, session, approvals));
  const { isBackground, meets } = run;
  cleanup.defer(enrolJudge({ agent, meets, session, workbench, approvals, ahead }));
  const { model } = openModel({ agent, session, emit });
  const summaries = cleanup.use(openSummaries({ session, model, isBackground, emit, signal }));
  const waits = new Waits({ ticket, deadlines, signal, emit: report.emit });
  const tools = new Map(
    agent.can.tools.flatMap((name) => {
      const tool = session.tools.get(name);
      return tool === undefined ? [] : [[name, tool] as const];
    }),
  );
  const outcome = runLoop(
    {
      agent,
      meets,
      model,
      tools,
      toolSpecs: [...tools.values()].map(toolSpec),
      workbench,
      agents: session.tasksOf(agent.id),
      approvals,
      steps: journalSteps({
        agent,
        session,
        recorder,
        waits,
        signal: wrapUp.working,
        begun: begunCalls(run.history),
      }),
      limits: session.limits,
      signal,
      wrapUp,
      grows: () => deadlines.grows(),
      report,
      mail: run.mail,
      cacheSafe: summaries?.cacheSafe,
      history: run.history,
    },
    { ...run.task, attachments: isFirst ? agent.sees.attachments : [] },
  );
  return await run.ending.of(outcome, signal);
}

type Ending = Pick<AgentResult, "content"> &
  (
    | { state: "completed" }
    | { state: "failed"; error: Extract<AgentResult, { state: "failed" }>["error"] }
    | { state: "stopped"; reason: string }
  );

/** Without a final text the agent's last words are its result. */
function endingOf(outcome: LoopOutcome, lastWords: string): Ending {
  if (outcome.kind === "completed") return { state: "completed", content: outcome.content };
  const content = outcome.content.trim() === "" ? lastWords : outcome.content;
  if (outcome.kind === "stopped") return { state: "stopped", content, reason: outcome.reason };
  return { state: "failed", content, error: outcome.error };
}

/** The one place where an abort or an error becomes data. */
function endingOfError(error: unknown, content: string): Ending {
  const message = errorMessage(error);
  if (error instanceof StopCause) {
    if (error.kind === "stopped") return { state: "stopped", content, reason: message };
    return { state: "failed", content, error: { code: error.kind, message } };
  }
  // Its parent was told to report, and waits for nobody any more.
  if (error instanceof Interruption) return { state: "stopped", content, reason: message };
  const code = error instanceof ModelError ? "model_error" : "crashed";
  return { state: "failed", content, error: { code, message } };
}

/** A long result also goes into a file that the parent may read: one for each run, because the path of an earlier one was told. */
async function spill(run: AgentRun, ending: Ending): Promise<{ contentFile?: string }> {
  if (ending.content.length <= run.session.limits.resultCharacters) return {};
  const name = run.number === 1 ? run.agent.id : `${run.agent.id}.${run.number}`;
  const contentFile = join(run.session.paths.resultsDir, `${name}.txt`);
  try {
    const content = run.session.redactor.text(ending.content);
    await writeFileAtomic(contentFile, content, { mode: 0o600 });
    return { contentFile };
  } catch (error) {
    run.session.logger.warn({ error: errorMessage(error) }, "the long result could not be written");
    await rm(contentFile, { force: true }).catch(() => undefined);
    return {};
  }
}

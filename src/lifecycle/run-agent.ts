import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { AgentResult } from "../contract/agent-result.ts";
import { errorMessage } from "../contract/errors.ts";
import { advance, earlierRuns, runFigures } from "../events/agent-record.ts";
import type { AgentEvent, AgentEventBody } from "../events/event.ts";
import { relay, type Report } from "../loop/relay.ts";
import { runLoop, type LoopOutcome } from "../loop/run-loop.ts";
import { Interruption } from "../loop/wrap-up.ts";
import { ModelError } from "../model/model.ts";
import { writeFileAtomic } from "../platform/files/atomic-write.ts";
import { StopCause } from "./abort.ts";
import type { AgentRun } from "./agent-run.ts";
import { boundedCleanup } from "./cleanup.ts";
import { Deadlines } from "./time/deadlines.ts";
import { LastWords } from "./history/last-words.ts";
import { openAll } from "./openings/openings.ts";
import { redactedEmit } from "./redacted-emit.ts";
import { summarize } from "./summarize.ts";

/**
 * THE lifecycle: this generator runs every kind of agent in every mode. It yields events and returns the result; it
 * never throws. To end it early, abort the run, then read it to its end: cleanup is part of it.
 */
export function runAgent(run: AgentRun): AsyncGenerator<AgentEvent, AgentResult> {
  return relay(async (reader: Report<AgentEvent>) => {
    const { agent, session } = run;
    // Ahead of the registry's record, which follows what is on disk.
    let { record } = run;
    const lastWords = new LastWords();
    const tell = redactedEmit(session.redactor, (event) => reader.emit(event));
    let isOver = false;
    const report: Report<AgentEventBody> = {
      emit: (body) => {
        // An abandoned loop emits nothing more.
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
    const outcome = await live(run, report).then(
      (end) => outcomeOf(end, lastWords.text),
      (error: unknown) => {
        const { signal } = run.abort;
        return outcomeOfError(signal.aborted ? signal.reason : error, lastWords.text);
      },
    );
    const result: AgentResult = {
      ...runFigures(record, session.clock.now()),
      ...outcome,
      ...(await spill(run, outcome)),
    };
    run.deliver(outcome.content);
    report.emit({ type: "agent-end", result });
    isOver = true;
    return session.redactor.deep(result);
  });
}

/** Runs an agent from the queue to the loop. Everything opened is closed on every way out, in reverse order. */
async function live(run: AgentRun, { emit, told }: Report<AgentEventBody>): Promise<LoopOutcome> {
  const { agent, session, task, wrapUp } = run;
  const { signal } = run.abort;
  const cleanup = new AsyncDisposableStack();
  await using _ = boundedCleanup(cleanup, () =>
    session.logger.warn({ agentId: agent.id }, "the cleanup of an agent did not end in time"),
  );
  await announce(run, { emit, told });
  // Closed before the cleanup, which is not the agent's time.
  using deadlines = new Deadlines({
    timeout: task.timeout,
    limits: session.limits,
    wrapUp,
    clock: session.clock,
    emit,
  });
  const report: Report<AgentEventBody> = {
    emit: (body) => {
      deadlines.hear(body);
      emit(body);
    },
    told,
  };
  const { context, attachments } = await openAll({ ...run, report, emit, deadlines, cleanup });
  return await run.ending.of(runLoop(context, { ...task, attachments }), signal);
}

/** Waits for the agent's slot; resolves when readers know that it runs. */
async function announce(run: AgentRun, { emit, told }: Report<AgentEventBody>): Promise<void> {
  const { agent, session, ticket } = run;
  const { standing } = run.record;
  const { scripted } = session.models.for(agent);
  // After a resume the plan may be approved already.
  const current = { ...agent, meets: run.meets() };
  const summary = summarize(current, { scripted, standing, prompt: run.task.prompt });
  const earlier = earlierRuns(run.record);
  const introduction = earlier === undefined ? summary : { ...summary, earlier };
  const hasToWait = !ticket.held;
  if (hasToWait) {
    emit({ type: "agent-queued", position: ticket.position, agent: introduction });
    await ticket.whenHeld(run.abort.signal);
  }
  emit({ type: "agent-start", agent: hasToWait ? summary : introduction });
  await told();
}

type RunOutcome = Pick<AgentResult, "content"> &
  (
    | { state: "completed" }
    | { state: "failed"; error: Extract<AgentResult, { state: "failed" }>["error"] }
    | { state: "stopped"; reason: string }
  );

/** The outcome of a loop. Without a final text the agent's last words are the result. */
function outcomeOf(end: LoopOutcome, lastWords: string): RunOutcome {
  if (end.kind === "completed") return { state: "completed", content: end.content };
  const content = end.content.trim() === "" ? lastWords : end.content;
  if (end.kind === "stopped") return { state: "stopped", content, reason: end.reason };
  return { state: "failed", content, error: end.error };
}

/** The outcome of an abort or an error: the one place where they become data. */
function outcomeOfError(error: unknown, content: string): RunOutcome {
  const message = errorMessage(error);
  if (error instanceof StopCause) {
    if (error.kind === "stopped") return { state: "stopped", content, reason: message };
    return { state: "failed", content, error: { code: error.kind, message } };
  }
  // The parent was asked to report, and waits for nothing any more.
  if (error instanceof Interruption) return { state: "stopped", content, reason: message };
  const code = error instanceof ModelError ? "model_error" : "crashed";
  return { state: "failed", content, error: { code, message } };
}

/**
 * Writes a long result into a file that the parent may read. Each run has its own file, because the path of an earlier
 * one was handed out.
 */
async function spill(run: AgentRun, outcome: RunOutcome): Promise<{ contentFile?: string }> {
  if (outcome.content.length <= run.session.limits.resultCharacters) return {};
  const name = run.number === 1 ? run.agent.id : `${run.agent.id}.${run.number}`;
  const contentFile = join(run.session.paths.resultsDir, `${name}.txt`);
  try {
    const content = run.session.redactor.text(outcome.content);
    await writeFileAtomic(contentFile, content, { mode: 0o600 });
    return { contentFile };
  } catch (error) {
    run.session.logger.warn(
      { error: errorMessage(error) },
      "the file of a long result could not be written",
    );
    await rm(contentFile, { force: true }).catch(() => undefined);
    return {};
  }
}

import { existsSync } from "node:fs";
import type { AgentResult } from "../agent-result.ts";
import { errorMessage } from "../errors.ts";
import type { AgentEvent, AgentEventBody } from "../events/event.ts";
import type { AgentId } from "../ids.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import { conversationOf, readTranscript } from "../transcript/reader.ts";
import { TranscriptRecorder } from "../transcript/recorder.ts";
import { followAbort } from "./abort.ts";
import { drive } from "./drive.ts";
import { MetaKeeper } from "./keep-meta.ts";
import { runAgent, type AgentRun } from "./run-agent.ts";
import { RunningAgent } from "./running-agent.ts";
import type { Session } from "./session.ts";
import type { Ticket } from "./slots.ts";
import { summarize } from "./summarize.ts";

/**
 * All agents of a session. The registry drives every generator, whoever waits for it: that is what makes background,
 * resume and foreground the same thing.
 */
export class Registry {
  readonly #session: Session;
  readonly #agents = new Map<AgentId, { running: RunningAgent; meta: MetaKeeper }>();

  constructor(session: Session) {
    this.#session = session;
  }

  get(id: AgentId): RunningAgent | undefined {
    return this.#agents.get(id)?.running;
  }

  list(): RunningAgent[] {
    return [...this.#agents.values()].map(({ running }) => running);
  }

  /** Makes an agent known. It stands idle until it is given a task. */
  async add(agent: ResolvedAgent, options: { standing: boolean }): Promise<RunningAgent> {
    const session = this.#session;
    const main = agent.relates.depth === 0;
    const running = new RunningAgent({
      agent,
      recorder: new TranscriptRecorder({
        path: main ? session.paths.mainTranscript : session.paths.transcript(agent.id),
        envelope: {
          ...session.envelope,
          isSidechain: !main,
          ...(main ? {} : { agentId: agent.id }),
        },
        agentType: main ? null : agent.type,
      }),
      startedAt: session.clock.now(),
      standing: options.standing,
    });
    const meta = new MetaKeeper(agent, session, options.standing);
    this.#agents.set(agent.id, { running, meta });
    if (options.standing) {
      await this.#announce(running, { type: "agent-idle", agent: summarize(agent) });
    }
    return running;
  }

  /** Starts one task of a known agent; resolves when it is queued or running. `running.ended` tells the rest. */
  start(
    running: RunningAgent,
    task: AgentRun["task"],
    options: { ticket: Ticket; follow: AbortSignal | null },
  ): Promise<void> {
    const abort = new AbortController();
    const begun = Promise.withResolvers<void>();
    const link = options.follow === null ? undefined : followAbort(options.follow, abort);
    const ended = this.#drive(running, task, {
      ticket: options.ticket,
      abort,
      onEvent: begun.resolve,
    });
    running.begin(
      abort,
      ended.finally(() => link?.[Symbol.dispose]()),
      this.#session.clock.now(),
    );
    return Promise.race([begun.promise, ended.then(() => undefined)]);
  }

  /** Ends an agent and resolves when nothing of it is left running. */
  async stop(running: RunningAgent, reason: string): Promise<void> {
    if (running.isBusy) {
      running.stop(reason);
      await running.ended;
    } else if (running.state === "idle") {
      const figures = running.figures(this.#session.clock.now());
      const result = { ...figures, state: "stopped", content: running.content, reason } as const;
      await this.#announce(running, { type: "agent-end", result });
    }
  }

  async #drive(
    running: RunningAgent,
    task: AgentRun["task"],
    { ticket, abort, onEvent }: { ticket: Ticket; abort: AbortController; onEvent: () => void },
  ): Promise<AgentResult> {
    const session = this.#session;
    const { agent, recorder } = running;
    const meta = this.#agents.get(agent.id)?.meta;
    const logger = session.logger.child({
      agentId: agent.id,
      parentId: agent.relates.parentId,
      sessionId: session.id,
    });
    const history = existsSync(recorder.path)
      ? conversationOf(await readTranscript(recorder.path))
      : [];
    const events = runAgent({ agent, task, history, ticket, session, recorder, abort });
    try {
      return await drive(events, {
        abort,
        store: async (event) => {
          await recorder.record(event);
          await meta?.apply(event);
        },
        announce: (event) => {
          running.apply(event);
          log(logger, event);
          session.bus.publish(event);
          onEvent();
        },
      });
    } finally {
      // After its end was announced, so that nobody sees more agents running than the limit allows.
      ticket.release();
      await recorder.close().catch((error: unknown) => {
        logger.warn({ error: errorMessage(error) }, "the transcript could not be closed");
      });
    }
  }

  /** For what happens to an agent between its runs. */
  async #announce(running: RunningAgent, body: AgentEventBody): Promise<void> {
    const { id: agentId } = running.agent;
    const session = this.#session;
    const event: AgentEvent = { agentId, sessionId: session.id, at: session.clock.now(), ...body };
    await this.#agents.get(agentId)?.meta.apply(event);
    running.apply(event);
    session.bus.publish(event);
  }
}

function log(logger: Session["logger"], event: AgentEvent): void {
  if (event.type === "agent-start")
    logger.info({ agentType: event.agent.type, model: event.agent.model }, "agent started");
  else if (event.type === "agent-end")
    logger.info({ state: event.result.state, turns: event.result.turns }, "agent ended");
  else if (event.type === "model-retry")
    logger.warn({ code: event.code, attempt: event.attempt }, "model call is retried");
  else if (event.type === "permission-deny") logger.warn({ tool: event.call.name }, event.reason);
}

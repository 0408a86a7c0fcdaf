import type { AgentResult } from "../contract/agent-result.ts";
import { errorMessage, RetinueError } from "../contract/errors.ts";
import { hasEnded, introduce, totalOf, type AgentRecord } from "../events/agent-record.ts";
import type { AgentEvent, AgentEventBody } from "../events/event.ts";
import type { AgentId } from "../contract/ids.ts";
import type { ResolvedAgent } from "../contract/resolved-agent.ts";
import { WrapUp } from "../loop/wrap-up.ts";
import { isOpen } from "../transcript/agent-on-disk.ts";
import { followAbort } from "./abort.ts";
import type { History } from "../loop/loop-context.ts";
import type { Mail } from "../loop/mail.ts";
import { AgentFiles } from "./history/agent-files.ts";
import { drive } from "./drive.ts";
import type { EarlierAgent } from "./history/earlier-agents.ts";
import { EndedRecords } from "./history/ended-records.ts";
import { logEvent } from "./log-event.ts";
import type { Memory } from "./memory.ts";
import { backgroundChildrenOf } from "./mail/mail-of-children.ts";
import { endNotification, endOf } from "./mail/notification.ts";
import type { Past } from "./history/past.ts";
import type { AgentRun, RunTask } from "./agent-run.ts";
import { runAgent } from "./run-agent.ts";
import { endedWith, type Died, type StopOptions } from "./history/died.ts";
import { RunEnding } from "./run-ending.ts";
import { RunningAgent } from "./running-agent.ts";
import type { Session } from "./session.ts";
import type { Ticket } from "./queue/slots.ts";
import { summarize } from "./summarize.ts";
import { totalsBelow, type Totals } from "./totals.ts";

export interface StartOptions {
  readonly ticket: Ticket;
  /** Signal that ends the agent too. */
  readonly follow: AbortSignal | null;
  /** Past of a resumed agent. */
  readonly past?: Past;
  /** Messages and notifications that arrived while it did not run. Those that it has read are not posted again. */
  readonly mail?: readonly Mail[];
}

/**
 * All agents of a session. The registry drives every generator, whether or not a caller awaits it: so background,
 * resume and foreground are the same thing. It owns the mailboxes: nothing else posts, or decides what an agent waits
 * for.
 */
export class Registry {
  readonly #session: Session;
  readonly #agents = new Map<AgentId, RunningAgent>();
  readonly #ended: EndedRecords;

  /**
   * `isReopened`: another process may have left agents of the session. `endedInMemory`: the number of records of ended
   * agents that stay in memory.
   */
  constructor(session: Session, options: { isReopened: boolean; endedInMemory?: number }) {
    this.#session = session;
    const { isReopened, endedInMemory: limit } = options;
    this.#ended = new EndedRecords({ paths: session.paths, isReopened, limit });
  }

  /** An agent in memory: one that runs or may get another task, and the main agent. */
  get(id: AgentId): RunningAgent | undefined {
    return this.#agents.get(id);
  }

  /** All agents in memory. */
  list(): RunningAgent[] {
    return [...this.#agents.values()];
  }

  /** The record of any agent of the session. */
  record(id: AgentId): AgentRecord | undefined {
    return this.#agents.get(id)?.record ?? this.#ended.get(id);
  }

  /** The records of all agents of the session. */
  records(): AgentRecord[] {
    const inMemory = this.list().map(({ record }) => record);
    return [...this.#ended.all((id) => this.#agents.has(id)), ...inMemory];
  }

  /** Usage of one agent with its descendants; without an id, of all agents of this process. */
  totals(id?: AgentId): Totals {
    if (id !== undefined) return totalsBelow(this.records(), id);
    const usage = this.#ended.usage();
    for (const { record } of this.list()) usage.add(record.type, totalOf(record));
    return usage.totals();
  }

  /** Recalls an agent of an earlier run. It stays in memory if it will run, or has not ended. */
  recall(
    agent: ResolvedAgent,
    { past, record: stored, files: earlier }: EarlierAgent,
    { resumes }: { resumes: boolean },
  ): RunningAgent {
    // The parent may wait for it this time, or no longer.
    const record = { ...stored, background: agent.relates.background };
    const files = new AgentFiles(agent, this.#session, { record, earlier });
    const lastText = past.end?.content ?? past.lastText;
    const running = new RunningAgent({ agent, files, record, lastText });
    if (running.result !== undefined && isOpen(earlier.state)) files.settle(record);
    if (running.hasEnded && !resumes) return running;
    if (!this.#agents.has(agent.id)) this.#ended.delete(record);
    this.#agents.set(agent.id, running);
    return running;
  }

  /** Forgets an ended agent whose files were deleted. The sums keep it. */
  forget(id: AgentId): void {
    this.#ended.evict(id);
  }

  /** Removes an ended agent, in memory and on disk. */
  remove(record: AgentRecord): void {
    if (!this.#agents.has(record.id)) this.#ended.delete(record);
    this.#agents.delete(record.id);
  }

  /**
   * Adds a new agent. A standing one is idle until it gets a task, and its idle state is on disk when this resolves.
   * `prepare` writes the beginning of its files; `run`: the completed part of the first run.
   */
  async add(
    agent: ResolvedAgent,
    {
      standing,
      prepare,
      ...share
    }: { standing: boolean; prepare?: (files: AgentFiles) => void; run?: AgentRecord["run"] },
  ): Promise<RunningAgent> {
    const { id: sessionId, clock, redactor, models } = this.#session;
    const { scripted } = models.for(agent);
    const summary = summarize(agent, { scripted, standing, prompt: null });
    const header = { agentId: agent.id, sessionId, at: clock.now() };
    const record = { ...introduce(header, redactor.deep(summary)), ...share };
    const files = new AgentFiles(agent, this.#session, { record });
    const running = new RunningAgent({ agent, files, record });
    this.#agents.set(agent.id, running);
    try {
      prepare?.(files);
      if (standing) await this.#tell(running, { type: "agent-idle", agent: summary });
    } catch (error) {
      files.close();
      this.#agents.delete(agent.id);
      const message = `The agent's files cannot be written: ${errorMessage(error)}. Free space or check permissions.`;
      throw new RetinueError("storage", message, { cause: error });
    }
    return running;
  }

  /**
   * Starts one task of a known agent; resolves when it is queued or running. `running.ended` resolves with the result.
   */
  start(running: RunningAgent, task: RunTask, options: StartOptions): Promise<void> {
    const abort = new AbortController();
    const begun = Promise.withResolvers<void>();
    const link = options.follow === null ? undefined : followAbort(options.follow, abort);
    const unlink = (): void => link?.[Symbol.dispose]();
    const resumes = task.prompt === null;
    const result = Promise.withResolvers<AgentResult>();
    const ending = new RunEnding();
    const hasLeftPlan = resumes && options.past?.leftPlan === true;
    const at = this.#session.clock.now();
    const ended = result.promise;
    running.begin({ abort, ending, ended, unlink }, { resumes, hasLeftPlan, at });
    this.#openMailbox(running, options);
    const permissionMode = running.meets.permissions.mode;
    const begins = { prompt: task.prompt, permissionMode };
    running.files.begin(running.agent, begins, running.record);
    const run = { ...options, abort, ending, onEvent: begun.resolve };
    void this.#drive(running, task, run).then(result.resolve).finally(unlink);
    return Promise.race([begun.promise, result.promise.then(() => undefined)]);
  }

  /**
   * Moves a running child to the background: the waiting parent gets its id at once, and its result as a notification.
   */
  async background(running: RunningAgent): Promise<void> {
    if (running.isBackground) return;
    this.#parentOf(running)?.mailbox.expect(running.agent.id);
    running.moveToBackground();
    await this.#tellAnyway(running, { type: "agent-background" });
  }

  /** Posts a message to an agent. False if the agent reads no more in this run. */
  post(id: AgentId, mail: Mail): boolean {
    return this.#agents.get(id)?.mailbox.post(mail) ?? false;
  }

  /** Makes the parent stop waiting for a child that cannot be resumed. */
  giveUp(child: RunningAgent): void {
    this.#parentOf(child)?.mailbox.settle(child.agent.id);
  }

  /** Stops an agent and resolves when nothing of it runs. Idempotent. */
  async stop(running: RunningAgent, reason: string, how: StopOptions = {}): Promise<Died> {
    const died: Died = { agents: [], processes: 0 };
    if (running.isBusy) {
      running.stop(reason);
      Object.assign(died, await endedWith(running, this.list(), how));
    }
    // A standing agent whose task was just ending is idle again: it is ended all the same.
    if (running.state === "idle") {
      if (died.agents.length === 0) died.agents.push(running.agent.id);
      const figures = running.figures(this.#session.clock.now());
      const result = { ...figures, state: "stopped", content: running.content, reason } as const;
      await this.#tellAnyway(running, { type: "agent-end", result });
      this.#evict(running);
    }
    running.files.memory?.forget();
    running.files.close();
    return died;
  }

  /** Never rejects: any error becomes the end of the agent. */
  async #drive(
    running: RunningAgent,
    task: RunTask,
    {
      ticket,
      onEvent,
      past,
      abort,
      ending,
    }: StartOptions & Pick<AgentRun, "abort" | "ending"> & { onEvent: () => void },
  ): Promise<AgentResult> {
    const session = this.#session;
    const { agent, files } = running;
    const { id: agentId, relates, sessionId } = agent;
    const logger = session.logger.child({ agentId, parentId: relates.parentId, sessionId });
    try {
      const { recorder, memory } = files;
      const { record } = running;
      const run: AgentRun = {
        agent,
        task,
        number: record.runs + 1,
        history: historyOf(memory, past, record),
        record,
        mail: running.mailbox,
        meets: () => running.meets,
        isBackground: () => running.isBackground,
        ticket,
        session,
        recorder,
        abort,
        ending,
        wrapUp: new WrapUp(abort.signal),
        remember: memory === undefined ? undefined : (body) => memory.keep(body),
        deliver: (content) => running.deliver(content),
      };
      return await drive(runAgent(run), {
        abort,
        store: (event) => files.store(event),
        announce: (event) => {
          running.apply(event);
          session.bus.publish(event);
          onEvent();
          logEvent(logger, event);
        },
      });
    } catch (error) {
      return await this.#crash(running, errorMessage(error));
    } finally {
      // Released after the end is emitted, so that readers never see more agents running than the limit allows.
      ticket.release();
      files.close();
      running.mailbox.close();
      this.#notifyParent(running);
      this.#evict(running);
    }
  }

  /** Keeps only the record of an ended agent. The main agent stays, and so does one whose files lack its end. */
  #evict({ agent, record, files }: RunningAgent): void {
    if (!hasEnded(record) || agent.relates.depth === 0 || !files.tellEnd) return;
    this.#agents.delete(agent.id);
    this.#ended.add(record);
  }

  /**
   * Opens the mailbox for a run: the agent reads earlier mail, and expects its background children; its parent expects
   * it.
   */
  #openMailbox(running: RunningAgent, { past, mail = [] }: StartOptions): void {
    const { mailbox, agent } = running;
    mailbox.open(past?.told);
    for (const one of mail) mailbox.post(one);
    for (const child of backgroundChildrenOf(agent.id, this)) {
      if (!child.hasEnded) mailbox.expect(child.agent.id);
    }
    const parent = this.#parentOf(running);
    if (running.isBackground && parent?.isBusy === true) parent.mailbox.expect(agent.id);
  }

  /** Notifies the parent; the end is on disk by now. A parent that does not run finds it there when it is resumed. */
  #notifyParent(running: RunningAgent): void {
    const parent = running.isBackground ? this.#parentOf(running) : undefined;
    if (parent === undefined) return;
    const end = endOf(running);
    if (end !== undefined) parent.mailbox.post(endNotification(end, this.#session));
    parent.mailbox.settle(running.agent.id);
  }

  #parentOf({ agent }: RunningAgent): RunningAgent | undefined {
    const { parentId } = agent.relates;
    return parentId === null ? undefined : this.#agents.get(parentId);
  }

  async #crash(running: RunningAgent, message: string): Promise<AgentResult> {
    const figures = running.figures(this.#session.clock.now());
    const error = { code: "crashed", message } as const;
    const result: AgentResult = { ...figures, state: "failed", content: running.content, error };
    await this.#tellAnyway(running, { type: "agent-end", result });
    return result;
  }

  /** Emits an event even if it cannot be stored. */
  async #tellAnyway(running: RunningAgent, body: AgentEventBody): Promise<void> {
    try {
      await this.#tell(running, body);
    } catch (error) {
      this.#session.bus.publish(this.#eventOf(running, body));
      this.#session.logger.warn(
        { error: errorMessage(error) },
        "the agent's files could not be written",
      );
    }
  }

  /** Stores and emits an event that is not part of a run. The files of an agent that does not run are closed. */
  async #tell(running: RunningAgent, body: AgentEventBody): Promise<void> {
    const event = this.#eventOf(running, body);
    running.apply(event);
    try {
      await running.files.store(event);
    } finally {
      if (!running.isBusy) running.files.close();
    }
    this.#session.bus.publish(event);
  }

  #eventOf(running: RunningAgent, body: AgentEventBody): AgentEvent {
    const { clock, id: sessionId, redactor } = this.#session;
    return { agentId: running.agent.id, sessionId, at: clock.now(), ...redactor.deep(body) };
  }
}

function historyOf(
  memory: Memory | undefined,
  past: Past | undefined,
  { run }: AgentRecord,
): History {
  const nothing = { messages: [], turns: 0, pending: null };
  if (memory !== undefined) return { ...nothing, messages: memory.conversation() };
  if (past === undefined) return nothing;
  return { messages: past.messages, turns: run.turns, pending: past.pending };
}

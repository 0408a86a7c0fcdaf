import type { AgentResult } from "../agent-result.ts";
import { errorMessage, RetinueError } from "../errors.ts";
import type { AgentEvent, AgentEventBody } from "../events/event.ts";
import type { AgentId } from "../ids.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import { WrapUp } from "../loop/wrap-up.ts";
import { isOpen } from "../transcript/meta.ts";
import { readEndedAgent, readEndedAgents, type EndedAgent } from "../transcript/ended-agent.ts";
import { followAbort } from "./abort.ts";
import type { History } from "../loop/loop-context.ts";
import { AgentFiles, type EarlierFiles } from "./agent-files.ts";
import { drive } from "./drive.ts";
import { EndedAgents, type AgentThatLeft } from "./ended-agents.ts";
import type { FoundAgent } from "./found-agent.ts";
import { logEvent } from "./log-event.ts";
import type { Memory } from "./memory.ts";
import { endNotification, endOf } from "./notification.ts";
import type { Past } from "./past.ts";
import { runAgent, type AgentRun, type RunTask } from "./run-agent.ts";
import { endedWith, type Died, type StopOptions } from "./died.ts";
import { RunEnding } from "./run-ending.ts";
import { RunningAgent } from "./running-agent.ts";
import type { Session } from "./session.ts";
import type { Ticket } from "./slots.ts";
import { summarize } from "./summarize.ts";
import { UntoldChildren } from "./untold-children.ts";

export interface StartOptions {
  readonly ticket: Ticket;
  /** Whose end is its end. */
  readonly follow: AbortSignal | null;
  /** Of an agent that comes back. */
  readonly past?: Past;
}

/**
 * All agents of a session. The registry drives every generator, whoever waits for it: that is what makes background,
 * resume and foreground the same thing.
 */
export class Registry {
  readonly #session: Session;
  readonly #agents = new Map<AgentId, RunningAgent>();
  readonly ended: EndedAgents;
  readonly untold: UntoldChildren = new UntoldChildren();

  /** `isReopened`: another process may have left agents of the session behind. */
  constructor(session: Session, { isReopened }: { isReopened: boolean }) {
    this.#session = session;
    this.ended = new EndedAgents({
      openedAt: isReopened ? session.clock.now() : null,
      known: (id) => this.#agents.get(id),
      letGo: (id) => this.#letGo(id),
    });
  }

  get(id: AgentId): RunningAgent | undefined {
    return this.#agents.get(id);
  }

  /** All that are in memory; `allOnDisk` has the others. */
  list(): RunningAgent[] {
    return [...this.#agents.values()];
  }

  /** An agent of an earlier run, as its files tell it. It is known from now on if it is to run, and otherwise if it has not ended. */
  recall(
    agent: ResolvedAgent,
    { past, earlier }: { past: Past; earlier: EarlierFiles },
    { goesOn }: { goesOn: boolean },
  ): RunningAgent {
    const files = new AgentFiles(agent, this.#session, { standing: false, earlier });
    const { startedAt, endedAt } = earlier.meta.retinue;
    const running = new RunningAgent({ agent, files, startedAt, standing: false });
    running.recall(past, endedAt ?? past.endedAt);
    const { result: end, endedAt: at = startedAt } = running;
    if (end !== undefined && isOpen(earlier.meta.retinue.state))
      files.settle({ ...this.#eventOf(running, { type: "agent-end", result: end }), at });
    if (running.hasEnded && !goesOn) return running;
    if (!this.#agents.has(agent.id)) this.ended.comeBack(running);
    this.#agents.set(agent.id, running);
    return running;
  }

  /** Its children that have left memory and of whose end it has not read, as far as anybody knows. */
  untoldBy(id: AgentId): AgentId[] {
    const parent = this.#agents.get(id);
    if (parent !== undefined) return this.untold.of(parent);
    const children = this.allOnDisk().flatMap(({ retinue: { parentId, background, agentId } }) =>
      parentId === id && background ? [agentId as AgentId] : [],
    );
    this.untold.add(id, children);
    return children;
  }

  /** An ended agent was removed: nothing of it is left, here or on disk. */
  remove(id: AgentId, removed: AgentThatLeft): void {
    const running = this.#agents.get(id);
    this.untold.forget(id);
    if (running === undefined) {
      this.ended.takeBack(removed);
      return;
    }
    this.#agents.delete(id);
    this.ended.remove(running);
  }

  /** An agent of the session, from its files if it has left memory. */
  find(id: AgentId): FoundAgent | undefined {
    const { paths } = this.#session;
    const found = this.#agents.get(id) ?? readEndedAgent(paths.meta(id));
    if (found !== undefined) return found;
    const main = readEndedAgent(paths.mainMeta);
    return main?.retinue.agentId === id ? main : undefined;
  }

  /** All agents of the session that have ended and are not in memory, from their files. */
  allOnDisk(): EndedAgent[] {
    const { agentsDir, mainMeta } = this.#session.paths;
    const isKnown = (id: string): boolean => this.#agents.has(id as AgentId);
    const main = readEndedAgent(mainMeta);
    const unknownMain = main === undefined || isKnown(main.retinue.agentId) ? [] : [main];
    return [...unknownMain, ...readEndedAgents(agentsDir, isKnown)];
  }

  /** Makes an agent known. A standing one is idle until it is given a task. `prepare`: what its files begin with. */
  add(
    agent: ResolvedAgent,
    { standing, prepare }: { standing: boolean; prepare?: (files: AgentFiles) => void },
  ): RunningAgent {
    const session = this.#session;
    const files = new AgentFiles(agent, session, { standing });
    const running = new RunningAgent({ agent, files, startedAt: session.clock.now(), standing });
    this.#agents.set(agent.id, running);
    this.ended.enter(running);
    try {
      prepare?.(files);
      if (standing) this.#tell(running, { type: "agent-idle", agent: summarize(agent) });
    } catch (error) {
      files.close();
      this.#agents.delete(agent.id);
      this.ended.remove(running);
      const message = `The agent's files cannot be written: ${errorMessage(error)}. Free space or check permissions.`;
      throw new RetinueError("storage", message, { cause: error });
    }
    return running;
  }

  /** Starts one task of a known agent; resolves when it is queued or running. `running.ended` tells the rest. */
  start(running: RunningAgent, task: RunTask, options: StartOptions): Promise<void> {
    const abort = new AbortController();
    const begun = Promise.withResolvers<void>();
    const link = options.follow === null ? undefined : followAbort(options.follow, abort);
    const unlink = (): void => link?.[Symbol.dispose]();
    const goesOn = task.prompt === null ? (options.past?.underWay ?? null) : null;
    const result = Promise.withResolvers<AgentResult>();
    const ending = new RunEnding();
    const hasLeftPlan = goesOn !== null && options.past?.leftPlan === true;
    running.begin({ abort, ending, ended: result.promise, unlink }, goesOn, hasLeftPlan);
    running.mailbox.open(options.past?.told);
    if (goesOn === null && options.past?.end === null) running.files.count(options.past.underWay);
    const permissionMode = running.meets.permissions.mode;
    const begins = { prompt: task.prompt, permissionMode };
    running.files.begin(running.agent, begins, running.usageBefore);
    const run = { ...options, abort, ending, goesOn, onEvent: begun.resolve };
    void this.#drive(running, task, run).then(result.resolve).finally(unlink);
    return Promise.race([begun.promise, result.promise.then(() => undefined)]);
  }

  /** Lets a running child go on by itself: whoever waits for it gets its id at once, and its result as a notification. */
  background(running: RunningAgent): void {
    if (running.isBackground) return;
    running.moveToBackground();
    this.#tellAnyway(running, { type: "agent-background" });
  }

  /** Ends an agent and resolves when nothing of it is left running. Ending it twice does no harm. */
  async stop(running: RunningAgent, reason: string, how: StopOptions = {}): Promise<Died> {
    const died: Died = { agents: [], processes: 0 };
    if (running.isBusy) {
      running.stop(reason);
      Object.assign(died, await endedWith(running, this.list(), how));
    }
    // A standing agent whose task was just ending idles again: it is ended all the same.
    if (running.state === "idle") {
      if (died.agents.length === 0) died.agents.push(running.agent.id);
      const figures = running.figures(this.#session.clock.now());
      const result = { ...figures, state: "stopped", content: running.content, reason } as const;
      this.#tellAnyway(running, { type: "agent-end", result });
      running.files.close();
      this.ended.note(running);
    }
    running.files.memory?.forget();
    running.files.close();
    return died;
  }

  /** Never rejects: whatever goes wrong is how the agent ended. */
  async #drive(
    running: RunningAgent,
    task: RunTask,
    {
      ticket,
      onEvent,
      past,
      goesOn,
      abort,
      ending,
    }: StartOptions &
      Pick<AgentRun, "abort" | "ending" | "goesOn"> & {
        onEvent: () => void;
      },
  ): Promise<AgentResult> {
    const session = this.#session;
    const { agent, files } = running;
    const { id: agentId, relates, sessionId } = agent;
    const logger = session.logger.child({ agentId, parentId: relates.parentId, sessionId });
    try {
      const { recorder, memory } = files;
      const run: AgentRun = {
        agent,
        task,
        number: running.runs + 1,
        history: historyOf(memory, past, goesOn),
        goesOn,
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
      return this.#crash(running, errorMessage(error));
    } finally {
      // After its end was announced, so that nobody sees more agents running than the limit allows.
      ticket.release();
      files.close();
      running.mailbox.close();
      this.#notifyParent(running);
      this.ended.note(running);
    }
  }

  #letGo(id: AgentId): void {
    const running = this.#agents.get(id);
    const parentId = running?.agent.relates.parentId ?? null;
    if (running !== undefined)
      this.untold.leave(running, parentId === null ? undefined : this.#agents.get(parentId));
    this.#agents.delete(id);
  }

  /** Its end is on disk by now. A parent that does not run any more finds it there when it goes on. */
  #notifyParent(running: RunningAgent): void {
    const { relates, id } = running.agent;
    if (!running.isBackground || relates.parentId === null) return;
    const parent = this.#agents.get(relates.parentId);
    const end = endOf(running);
    if (end !== undefined) parent?.mailbox.post(endNotification(end, this.#session));
    parent?.mailbox.settle(id);
  }

  #crash(running: RunningAgent, message: string): AgentResult {
    const figures = running.figures(this.#session.clock.now());
    const error = { code: "crashed", message } as const;
    const result: AgentResult = { ...figures, state: "failed", content: running.content, error };
    this.#tellAnyway(running, { type: "agent-end", result });
    return result;
  }

  /** Says it even when it cannot be stored. */
  #tellAnyway(running: RunningAgent, body: AgentEventBody): void {
    try {
      this.#tell(running, body);
    } catch (error) {
      this.#session.bus.publish(this.#eventOf(running, body));
      this.#session.logger.warn(
        { error: errorMessage(error) },
        "the agent's files could not be written",
      );
    }
  }

  /** For what happens to an agent outside its runs. */
  #tell(running: RunningAgent, body: AgentEventBody): void {
    const event = this.#eventOf(running, body);
    running.apply(event);
    running.files.storeNow(event);
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
  goesOn: AgentRun["goesOn"],
): History {
  const nothing = { messages: [], turns: 0, pending: null };
  if (memory !== undefined) return { ...nothing, messages: memory.conversation() };
  if (past === undefined) return nothing;
  return { messages: past.messages, turns: goesOn?.turns ?? 0, pending: past.pending };
}

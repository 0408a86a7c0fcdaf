import type { AgentResult } from "./contract/agent-result.ts";
import { inOrder, rowOf, type AgentRow, type StoppedRow } from "./session/agent-row.ts";
import { outputOf, type AgentOutput } from "./session/agent-output.ts";
import { DailyPrune } from "./session/daily-prune.ts";
import type { AgentDefinition } from "./definitions/definition.ts";
import type { Diagnostic } from "./contract/diagnostic.ts";
import type { AgentRecord } from "./events/agent-record.ts";
import { serveQuestions } from "./control/serve-questions.ts";
import { endServing } from "./control/serve-session.ts";
import { RetinueError } from "./contract/errors.ts";
import type { EventStream, Subscription } from "./events/bus.ts";
import { openSession, programmaticDefinitions } from "./session/open-session.ts";
import { parseAgentId, type AgentId, type SessionId } from "./contract/ids.ts";
import type { Inbox } from "./inbox/inbox.ts";
import type { StopOptions } from "./lifecycle/history/died.ts";
import type { Capacity } from "./lifecycle/queue/capacity.ts";
import type { RunningAgent } from "./lifecycle/running-agent.ts";
import type { Totals } from "./lifecycle/totals.ts";
import { checkOptions, type ManagerOptions } from "./session/manager-options.ts";
import type { WrittenCall } from "./permissions/parse-call.ts";
import type { CallExplanation } from "./resolve/explain-call.ts";
import type { Explanation } from "./resolve/explain.ts";
import { branchAgent, type BranchRequest } from "./branch.ts";
import { giveTask } from "./give-task.ts";
import { moveToBackground, sendMessage, type Receipt } from "./steer.ts";
import { resumeAgent, resumeInterrupted, type ResumeRequest } from "./resume.ts";
import { SessionTranscripts } from "./session/session-transcripts.ts";
import { explainCallOf, explainType } from "./session/explain-here.ts";
import { refuseWhenOver } from "./lifecycle/life.ts";
import { spawn, type SpawnFor } from "./spawn.ts";
import type { SessionRuntime } from "./session/session-runtime.ts";
import type { SpawnRequestInput } from "./contract/spawn-request.ts";
import { checkMilliseconds } from "./contract/longest-timer.ts";
import type { HeldLease } from "./transcript/lease/take-lease.ts";
import type { RefusedSpeaker } from "./processes/speaker.ts";

/** Starts a session. Invalid options throw `invalid_config` with the name of the field. */
export function createManager(options: ManagerOptions): Manager {
  const checked = checkOptions(options);
  const programmatic = new Map<string, AgentDefinition>();
  const runtime = openSession(checked, () => [...programmatic.values()]);
  const manager = new Manager(runtime, programmatic);
  try {
    manager.registerAgents(checked.agents);
  } catch (error) {
    runtime.session.lease.release();
    throw error;
  }
  return manager;
}

/** Spawns, watches and stops the agents of one session. In-process; needs no server. */
export class Manager {
  readonly #runtime: SessionRuntime;
  readonly #programmatic: Map<string, AgentDefinition>;
  readonly #prune: DailyPrune;
  /** Transcripts of this session: their paths, their contents, and notes of the host. */
  readonly transcripts: SessionTranscripts;

  /** Use `createManager`. */
  constructor(runtime: SessionRuntime, programmatic: Map<string, AgentDefinition>) {
    this.#runtime = runtime;
    this.#programmatic = programmatic;
    this.#prune = new DailyPrune(runtime);
    this.transcripts = new SessionTranscripts(runtime.session, runtime.registry);
    runtime.session.lease.onLost((reason) => {
      runtime.session.life.isOver = true;
      void this.stopAll(reason);
    });
    serveQuestions(this, runtime.session);
  }

  get sessionId(): SessionId {
    return this.#runtime.session.id;
  }

  /** Replaces the secrets in a text that is about to be stored or emitted. */
  redact(text: string): string {
    return this.#runtime.session.redactor.text(text);
  }

  /** Questions of all agents, and the means to answer them. */
  get inbox(): Pick<Inbox, "list" | "answer" | "subscribe"> {
    return this.#runtime.session.inbox;
  }

  /** The lease that makes this process the session's owner. `serveSession` announces our address in it. */
  get lease(): Pick<HeldLease, "token" | "announce"> {
    return this.#runtime.session.lease;
  }

  /** Records in the audit log that a process was refused to speak as the user. */
  noteRefusal(method: string, refused: RefusedSpeaker): void {
    this.#runtime.session.inbox.noteRefusal(method, refused);
  }

  /**
   * Starts a child agent and returns at once; `output` waits for its result. Without a `prompt` the agent is idle and
   * takes tasks from `process`.
   */
  spawn(request: SpawnRequestInput): Promise<AgentRow> {
    return this.#spawn(request, { kind: "host" });
  }

  /**
   * Runs a child agent and resolves with its result, once it has ended. A failure is a result too; `signal` stops the agent.
   * Throws for a request that `spawn` refuses.
   */
  async run(
    request: SpawnRequestInput & { prompt: string },
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<AgentResult & { agentId: AgentId }> {
    signal?.throwIfAborted();
    if (request.prompt === undefined) {
      const message = "run() needs a prompt. For an agent that takes tasks later use spawn().";
      throw new RetinueError("invalid_request", message);
    }
    const running = await this.#start(request, { kind: "host" });
    const { id: agentId } = running.agent;
    const stop = (): void => {
      // An agent that has ended meanwhile needs no stop.
      this.stop(agentId, "aborted by the host").catch(() => undefined);
    };
    if (signal?.aborted === true) stop();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return { agentId, ...(await running.ended) };
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Starts the session's main agent, which may delegate to children of its own. */
  main(request: SpawnRequestInput): Promise<AgentRow> {
    const type = request.subagent_type ?? this.#runtime.surroundings.settings.agent;
    return this.#spawn(
      { ...request, ...(type === undefined ? {} : { subagent_type: type }) },
      { kind: "main" },
    );
  }

  /**
   * Gives an idle agent one task, in its own history, and waits for the result. The default timeout is five minutes.
   */
  async process(
    id: string,
    prompt: string,
    options: { timeout?: number } = {},
  ): Promise<AgentResult> {
    const timeout = checkMilliseconds("timeout", options.timeout);
    return giveTask(agentIdOf(id), prompt, timeout, this.#runtime);
  }

  get(id: string): AgentRow | undefined {
    const record = this.#look(id);
    return record && rowOf(record);
  }

  /**
   * Agents that have not ended, or with `{all: true}` every agent of the session. Sorted by start, parents before their
   * children.
   */
  list(options: { all?: boolean } = {}): AgentRow[] {
    const { registry } = this.#runtime;
    const running = registry.list().filter(({ hasEnded }) => !hasEnded);
    const records = options.all === true ? registry.records() : running.map(({ record }) => record);
    return inOrder(records.map(rowOf));
  }

  /** Agents that run or wait. */
  count(): number {
    const { registry } = this.#runtime;
    return registry.list().filter(({ state }) => state === "running" || state === "waiting").length;
  }

  /** Use of the limits: running, queued and free, in all and by type, model and provider. */
  capacity(): Capacity {
    return this.#runtime.session.slots.capacity();
  }

  /**
   * Usage of agents, together and by type: of one agent and its descendants, or without `id` of all agents of this
   * process.
   */
  totals(id?: string): Totals {
    return this.#runtime.registry.totals(id === undefined ? undefined : this.#find(id).id);
  }

  /** The result so far. With `block` it waits for the end, at most `timeout` milliseconds. */
  async output(
    id: string,
    options: { block?: boolean; timeout?: number } = {},
  ): Promise<AgentOutput> {
    const timeout = checkMilliseconds("timeout", options.timeout);
    return outputOf(this.#find(id).id, { ...options, timeout }, this.#runtime);
  }

  /**
   * Ends an agent, its foreground children and every process they started; resolves when all of them are gone.
   * Processes get a polite signal first and are killed after `graceMs`; a running tool is waited for.
   */
  async stop(
    id: string,
    how: string | { reason?: string; graceMs?: number } = {},
  ): Promise<StoppedRow> {
    const { reason, graceMs } = typeof how === "string" ? { reason: how } : how;
    const grace = checkMilliseconds("graceMs", graceMs);
    return this.#end(
      id,
      reason ?? "stopped by the host",
      grace === undefined ? {} : { graceMs: grace },
    );
  }

  /** Stops an agent at once: processes get no polite signal, and a tool that ignores its abort signal is abandoned. */
  kill(id: string, reason = "killed by the host"): Promise<StoppedRow> {
    return this.#end(id, reason, { kill: true });
  }

  async stopAll(reason?: string): Promise<StoppedRow[]> {
    return Promise.all(this.list().map(({ id }) => this.stop(id, reason)));
  }

  /**
   * Resumes an ended agent of this session, with its history and its id: with a new task, or, if it was interrupted,
   * where it stopped. Calls that may have had an effect are not repeated.
   */
  async resume(id: string, request: ResumeRequest = {}): Promise<AgentRow> {
    this.#refuseWhenClosed();
    await this.#runtime.session.sandbox?.open();
    return rowOf(
      (await resumeAgent(agentIdOf(id), request, { kind: "host" }, this.#runtime)).record,
    );
  }

  /**
   * Resumes every agent of this session that the end of its process interrupted. `interrupted`: all of them, also
   * children that their parents resume; `resumed`: the others.
   */
  async resumeAll(): Promise<{
    interrupted: AgentId[];
    resumed: AgentRow[];
    failed: { id: AgentId; error: unknown }[];
  }> {
    this.#refuseWhenClosed();
    await this.#runtime.session.sandbox?.open();
    const { resumed, ...rest } = await resumeInterrupted(this.#runtime);
    return { ...rest, resumed: resumed.map(({ record }) => rowOf(record)) };
  }

  /** Runs a copy of an agent from one of its turns, perhaps on another model. The original is unchanged. */
  async branch(id: string, request: BranchRequest = {}): Promise<AgentRow> {
    this.#refuseWhenClosed();
    await this.#runtime.session.sandbox?.open();
    return rowOf((await branchAgent(agentIdOf(id), request, this.#runtime)).record);
  }

  /**
   * Sends a message to an agent at work, which reads it at its next turn. The message is on disk when this resolves.
   */
  async send(id: string, text: string): Promise<Receipt> {
    return sendMessage(this.#find(id), text, this.#runtime);
  }

  /**
   * Moves a child that its parent waits for to the background. The parent resumes at once, and is notified when the
   * child ends.
   */
  async background(id: string): Promise<AgentRow> {
    return rowOf((await moveToBackground(this.#find(id), this.#runtime)).record);
  }

  /**
   * Forgets an ended agent and deletes all its files: transcript, long results, outputs, meta file. Its usage is no
   * longer part of `totals`. The main agent can be removed only while no other agent of the session runs; its children
   * stay. Throws `agent_busy` for an agent that has not ended.
   */
  async remove(id: string): Promise<void> {
    // The gate keeps the agent from being resumed meanwhile.
    await this.#runtime.spawns.run(async () => {
      const record = this.#look(id);
      await this.transcripts.delete(id);
      if (record !== undefined) this.#runtime.registry.remove(record);
    });
  }

  /**
   * Events from now on; with `underWay`, the events that announced the running tool calls come first. A slow reader
   * loses events and never delays an agent; see `dropped`.
   */
  events({ underWay, ...options }: Subscription & { underWay?: boolean } = {}): EventStream {
    const { registry, session } = this.#runtime;
    const first = underWay === true ? registry.list().flatMap((one) => one.callsUnderWay) : [];
    return session.bus.subscribe(options, first);
  }

  /** Adds agent types, which take precedence over those in files; the next spawn sees them. */
  registerAgents(agents: Record<string, Record<string, unknown>>): void {
    for (const definition of programmaticDefinitions(agents, this.#runtime.session.logger)) {
      this.#programmatic.set(definition.name, definition);
    }
  }

  /** The agent types that can be spawned now, by name. */
  async agentTypes(): Promise<{ name: string; description: string; source: string }[]> {
    const { catalog } = await this.#runtime.files.now();
    return catalog.list().map(({ name, description, source }) => ({ name, description, source }));
  }

  /** Explains how a request for this type would be decided. Starts nothing. Throws `unknown_agent_type`. */
  async explain(type: string): Promise<Explanation> {
    return explainType(type, await this.diagnostics(), this.#runtime);
  }

  /**
   * Tells whether a call of an agent of this type would run, and why: `explainCall("worker", "Bash(git push)")`. Runs
   * nothing. Throws `unknown_agent_type`, and `invalid_request` for a call that cannot be parsed.
   */
  async explainCall(type: string, call: string | WrittenCall): Promise<CallExplanation> {
    return explainCallOf(type, call, this.#runtime);
  }

  /** Problems in the files that apply here: agents, settings, plugins. */
  async diagnostics(): Promise<Diagnostic[]> {
    const { loader, diagnostics } = this.#runtime.configuration;
    return [...diagnostics, ...(await loader.load()).diagnostics];
  }

  /** Refuses new work, ends running agents, and returns when everything is on disk. */
  async close(): Promise<void> {
    this.#runtime.session.life.isOver = true;
    try {
      // A spawn in progress becomes an agent first, and is then stopped like the others.
      await this.#runtime.spawns.run(() => Promise.resolve());
      await this.stopAll("the manager was closed");
    } finally {
      await this.#prune[Symbol.asyncDispose]();
      await this.#runtime.session.inbox[Symbol.asyncDispose]();
      await this.#runtime.session.sandbox?.close();
      this.#runtime.session.bus.close();
      await endServing(this);
      this.#runtime.configuration.loader[Symbol.dispose]();
      this.#runtime.session.lease.release();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #spawn(request: SpawnRequestInput, by: SpawnFor): Promise<AgentRow> {
    return rowOf((await this.#start(request, by)).record);
  }

  async #start(request: SpawnRequestInput, by: SpawnFor): Promise<RunningAgent> {
    this.#refuseWhenClosed();
    // Without its sandbox nothing starts, and the caller gets the reason.
    await this.#runtime.session.sandbox?.open();
    this.#prune.begin();
    return spawn(request, by, this.#runtime);
  }

  async #end(id: string, reason: string, how: StopOptions): Promise<StoppedRow> {
    const { registry } = this.#runtime;
    const { id: agentId } = this.#find(id);
    const running = registry.get(agentId);
    const died =
      running === undefined
        ? { agents: [], processes: 0 }
        : await registry.stop(running, reason, how);
    return { ...rowOf(this.#find(id)), died };
  }

  #refuseWhenClosed(): void {
    refuseWhenOver(this.#runtime.session);
  }

  #find(id: string): AgentRecord {
    const record = this.#look(id);
    if (record === undefined) throw new RetinueError("unknown_task", `unknown task_id: ${id}`);
    return record;
  }

  #look(id: string): AgentRecord | undefined {
    const agentId = parseAgentId(id);
    return agentId && this.#runtime.registry.record(agentId);
  }
}

function agentIdOf(id: string): AgentId {
  const agentId = parseAgentId(id);
  if (agentId === undefined) throw new RetinueError("unknown_task", `unknown task_id: ${id}`);
  return agentId;
}

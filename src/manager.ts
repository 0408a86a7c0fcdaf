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
import { buildHouse, programmaticDefinitions } from "./session/house.ts";
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
import { spawn, type House, type SpawnFor } from "./spawn.ts";
import type { SpawnRequestInput } from "./contract/spawn-request.ts";
import { longestTimer } from "./contract/longest-timer.ts";
import type { HeldLease } from "./transcript/lease/take-lease.ts";
import type { RefusedSpeaker } from "./processes/speaker.ts";

/** Starts a session. Options that do not fit throw `invalid_config` naming the field. */
export function createManager(options: ManagerOptions): Manager {
  const checked = checkOptions(options);
  const programmatic = new Map<string, AgentDefinition>();
  const house = buildHouse(checked, () => [...programmatic.values()]);
  const manager = new Manager(house, programmatic);
  try {
    manager.registerAgents(checked.agents);
  } catch (error) {
    house.session.lease.release();
    throw error;
  }
  return manager;
}

/** Spawns, watches and stops the agents of one session. In-process; needs no server. */
export class Manager {
  readonly #house: House;
  readonly #programmatic: Map<string, AgentDefinition>;
  readonly #prune: DailyPrune;
  /** The transcripts of this session: where they are, what they say, notes of the host. */
  readonly transcripts: SessionTranscripts;

  /** Use `createManager`. */
  constructor(house: House, programmatic: Map<string, AgentDefinition>) {
    this.#house = house;
    this.#programmatic = programmatic;
    this.#prune = new DailyPrune(house);
    this.transcripts = new SessionTranscripts(house.session, house.registry);
    house.session.lease.onLost((reason) => {
      house.session.life.isOver = true;
      void this.stopAll(reason);
    });
    serveQuestions(this, house.session);
  }

  get sessionId(): SessionId {
    return this.#house.session.id;
  }

  /** A text without the secrets that are not to be written down or told. */
  redact(text: string): string {
    return this.#house.session.redactor.text(text);
  }

  /** The questions of all agents, and how to answer them. */
  get inbox(): Pick<Inbox, "list" | "answer" | "subscribe"> {
    return this.#house.session.inbox;
  }

  /** What makes the session this process's own; `serveSession` tells in it where others can reach us. */
  get lease(): Pick<HeldLease, "token" | "announce"> {
    return this.#house.session.lease;
  }

  /** Writes into the audit log that a process was kept from speaking as the user. */
  noteRefusal(method: string, refused: RefusedSpeaker): void {
    this.#house.session.inbox.noteRefusal(method, refused);
  }

  /**
   * Starts a child agent and returns at once; `output` waits for its result. Without a `prompt` the agent stands
   * idle and takes tasks from `process`.
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
    const stop = (): void => void this.stop(agentId, "aborted by the host");
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
    const type = request.subagent_type ?? this.#house.surroundings.settings.agent;
    return this.#spawn(
      { ...request, ...(type === undefined ? {} : { subagent_type: type }) },
      { kind: "main" },
    );
  }

  /** Gives an idle agent one task, in its own history, and waits for the result. Five minutes, unless told otherwise. */
  async process(
    id: string,
    prompt: string,
    options: { timeout?: number } = {},
  ): Promise<AgentResult> {
    const timeout = checkMilliseconds("timeout", options.timeout);
    return giveTask(agentIdOf(id), prompt, timeout, this.#house);
  }

  get(id: string): AgentRow | undefined {
    const record = this.#look(id);
    return record && rowOf(record);
  }

  /**
   * Agents that have not ended; all of the session with `{all: true}`. In the order in which they started, parents before their
   * children.
   */
  list(options: { all?: boolean } = {}): AgentRow[] {
    const { registry } = this.#house;
    const running = registry.list().filter(({ hasEnded }) => !hasEnded);
    const records = options.all === true ? registry.records() : running.map(({ record }) => record);
    return inOrder(records.map(rowOf));
  }

  /** Agents that run or wait. */
  count(): number {
    const { registry } = this.#house;
    return registry.list().filter(({ state }) => state === "running" || state === "waiting").length;
  }

  /** How much of the limits is used: what runs, waits in line and is free, also by type, model and provider. */
  capacity(): Capacity {
    return this.#house.session.slots.capacity();
  }

  /** The usage of agents, together and by type: of one agent with everything spawned below it, or without `id` of all of this process. */
  totals(id?: string): Totals {
    return this.#house.registry.totals(id === undefined ? undefined : this.#find(id).id);
  }

  /** The result so far. With `block` it waits for the end, at most `timeout` milliseconds. */
  async output(
    id: string,
    options: { block?: boolean; timeout?: number } = {},
  ): Promise<AgentOutput> {
    const timeout = checkMilliseconds("timeout", options.timeout);
    return outputOf(this.#find(id).id, { ...options, timeout }, this.#house);
  }

  /**
   * Ends an agent, its foreground children and every process they started; resolves when all of it is gone. Processes
   * are asked first and killed after `graceMs`; a tool is waited for.
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

  /** As `stop`, at once: processes are not asked, and a tool that does not heed its signal is left behind. */
  kill(id: string, reason = "killed by the host"): Promise<StoppedRow> {
    return this.#end(id, reason, { kill: true });
  }

  async stopAll(reason?: string): Promise<StoppedRow[]> {
    return Promise.all(this.list().map(({ id }) => this.stop(id, reason)));
  }

  /**
   * Goes on with an agent of this session that has ended, with its history and its id: with a new task, or, if it was
   * interrupted, where it stood. What may have had an effect is not repeated.
   */
  async resume(id: string, request: ResumeRequest = {}): Promise<AgentRow> {
    this.#refuseWhenClosed();
    await this.#house.session.sandbox?.open();
    return rowOf((await resumeAgent(agentIdOf(id), request, { kind: "host" }, this.#house)).record);
  }

  /** Goes on with every agent of this session that was interrupted by the end of its process. */
  async resumeAll(): Promise<{ resumed: AgentRow[]; failed: { id: AgentId; error: unknown }[] }> {
    this.#refuseWhenClosed();
    await this.#house.session.sandbox?.open();
    const { resumed, failed } = await resumeInterrupted(this.#house);
    return { resumed: resumed.map(({ record }) => rowOf(record)), failed };
  }

  /** Goes on with a copy of an agent, from one of its turns, perhaps on another model. The original stays as it is. */
  async branch(id: string, request: BranchRequest = {}): Promise<AgentRow> {
    this.#refuseWhenClosed();
    await this.#house.session.sandbox?.open();
    return rowOf((await branchAgent(agentIdOf(id), request, this.#house)).record);
  }

  /** Says something to an agent that is at work: it reads it at its next turn. It is on disk when this resolves. */
  async send(id: string, text: string): Promise<Receipt> {
    return sendMessage(this.#find(id), text, this.#house);
  }

  /** Lets a child that its parent waits for go on by itself. Its parent goes on at once, and is told when it ends. */
  async background(id: string): Promise<AgentRow> {
    return rowOf((await moveToBackground(this.#find(id), this.#house)).record);
  }

  /**
   * Forgets an ended agent and deletes everything that it has on disk: transcript, long results, outputs, the file that
   * lists it. Its usage is no longer part of `totals`. The main agent goes only when no other agent of the session
   * runs; its children stay. Throws `agent_busy` for an agent that has not ended.
   */
  async remove(id: string): Promise<void> {
    // Nobody resumes it meanwhile.
    await this.#house.spawns.run(async () => {
      const record = this.#look(id);
      await this.transcripts.delete(id);
      if (record !== undefined) this.#house.registry.remove(record);
    });
  }

  /**
   * Events from now on; with `underWay` first those that announced the tool calls that run now. A reader that is too slow loses
   * events, never an agent its time; see `dropped`.
   */
  events({ underWay, ...options }: Subscription & { underWay?: boolean } = {}): EventStream {
    const { registry, session } = this.#house;
    const first = underWay === true ? registry.list().flatMap((one) => one.callsUnderWay) : [];
    return session.bus.subscribe(options, first);
  }

  /** Adds agent types, over those in files; the next spawn sees them. */
  registerAgents(agents: Record<string, Record<string, unknown>>): void {
    for (const definition of programmaticDefinitions(agents, this.#house.session.logger)) {
      this.#programmatic.set(definition.name, definition);
    }
  }

  /** The agent types that can be spawned now, by name. */
  async agentTypes(): Promise<{ name: string; description: string; source: string }[]> {
    const { catalog } = await this.#house.files.now();
    return catalog.list().map(({ name, description, source }) => ({ name, description, source }));
  }

  /** What would become of a request for this type, and why. Starts nothing. Throws `unknown_agent_type`. */
  async explain(type: string): Promise<Explanation> {
    return explainType(type, await this.diagnostics(), this.#house);
  }

  /**
   * Whether a call of an agent of this type would run, and why: `explainCall("worker", "Bash(git push)")`. Runs nothing.
   * Throws `unknown_agent_type`, and `invalid_request` for a call that cannot be read.
   */
  async explainCall(type: string, call: string | WrittenCall): Promise<CallExplanation> {
    return explainCallOf(type, call, this.#house);
  }

  /** What is wrong with the files that count here: agents, settings, plugins. */
  async diagnostics(): Promise<Diagnostic[]> {
    const { loader, diagnostics } = this.#house.configuration;
    return [...diagnostics, ...(await loader.load()).diagnostics];
  }

  /** Takes no more work, ends what runs, and returns when everything is on disk. */
  async close(): Promise<void> {
    this.#house.session.life.isOver = true;
    try {
      // A spawn that is under way becomes an agent first, and is then stopped like the others.
      await this.#house.spawns.run(() => Promise.resolve());
      await this.stopAll("the manager was closed");
    } finally {
      await this.#prune[Symbol.asyncDispose]();
      await this.#house.session.inbox[Symbol.asyncDispose]();
      await this.#house.session.sandbox?.close();
      this.#house.session.bus.close();
      await endServing(this);
      this.#house.configuration.loader[Symbol.dispose]();
      this.#house.session.lease.release();
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
    // Without its sandbox nothing starts, and the caller hears why.
    await this.#house.session.sandbox?.open();
    this.#prune.begin();
    return spawn(request, by, this.#house);
  }

  async #end(id: string, reason: string, how: StopOptions): Promise<StoppedRow> {
    const { registry } = this.#house;
    const { id: agentId } = this.#find(id);
    const running = registry.get(agentId);
    const died =
      running === undefined
        ? { agents: [], processes: 0 }
        : await registry.stop(running, reason, how);
    return { ...rowOf(this.#find(id)), died };
  }

  #refuseWhenClosed(): void {
    refuseWhenOver(this.#house.session);
  }

  #find(id: string): AgentRecord {
    const record = this.#look(id);
    if (record === undefined) throw new RetinueError("unknown_task", `unknown task_id: ${id}`);
    return record;
  }

  #look(id: string): AgentRecord | undefined {
    const agentId = parseAgentId(id);
    return agentId && this.#house.registry.record(agentId);
  }
}

function agentIdOf(id: string): AgentId {
  const agentId = parseAgentId(id);
  if (agentId === undefined) throw new RetinueError("unknown_task", `unknown task_id: ${id}`);
  return agentId;
}

function checkMilliseconds(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (value >= 0 && value <= longestTimer)) return value;
  const remedy = name === "timeout" ? " Leave it out to wait without one." : "";
  const message = `${name} must be a number of milliseconds from 0 to ${longestTimer}, not ${value}.${remedy}`;
  throw new RetinueError("invalid_request", message);
}

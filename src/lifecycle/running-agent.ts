import type { AgentFigures, AgentResult } from "../contract/agent-result.ts";
import {
  advance,
  beginRun,
  hasEnded,
  isBusy,
  resultOf,
  runFigures,
  type AgentRecord,
} from "../events/agent-record.ts";
import type { AgentEvent } from "../events/event.ts";
import type { ResolvedAgent } from "../contract/resolved-agent.ts";
import { StopCause } from "./abort.ts";
import type { AgentFiles } from "./history/agent-files.ts";
import { LastWords } from "./history/last-words.ts";
import { leftPlan } from "./approvals/left-plan.ts";
import { Mailbox } from "./mail/mailbox.ts";
import type { RunEnding } from "./run-ending.ts";

/** One agent in memory: its record, and the means to run and steer it. */
export class RunningAgent {
  readonly agent: ResolvedAgent;
  readonly files: AgentFiles;
  /** Mailbox, owned by the registry: nothing else posts, or decides what the agent waits for. */
  readonly mailbox = new Mailbox();
  #record: AgentRecord;
  result: AgentResult | undefined;
  #lastWords: LastWords;
  /** The unredacted text of the last result, until a parent has taken it. */
  #words: string | undefined;
  #run: Run | undefined;
  #moved = Promise.withResolvers<void>();
  #meets: ResolvedAgent["meets"];
  /** Events that announced the tool calls under way, for later readers. */
  readonly #calls = new Map<string, AgentEvent>();

  /** `lastText`: the latest text of an agent of an earlier run, or of another process. */
  constructor(options: {
    agent: ResolvedAgent;
    files: AgentFiles;
    record: AgentRecord;
    lastText?: string;
  }) {
    this.agent = options.agent;
    this.#meets = options.agent.meets;
    this.files = options.files;
    this.#record = options.record;
    this.#lastWords = new LastWords(options.lastText);
    this.result = resultOf(options.record, options.lastText ?? "");
  }

  get record(): AgentRecord {
    return this.#record;
  }

  get state(): AgentRecord["state"] {
    return this.#record.state;
  }

  get isBackground(): boolean {
    return this.#record.background;
  }

  /** Resolves with the result of the run under way, or of the last one. Never rejects. */
  get ended(): Promise<AgentResult> {
    if (this.#run !== undefined) return this.#run.ended;
    return this.result === undefined ? new Promise(() => undefined) : Promise.resolve(this.result);
  }

  /** Whether the agent reads messages: it runs, and has not given its final answer. */
  get readsMail(): boolean {
    return this.mailbox.isOpen;
  }

  /** Whether the agent has read this mail, in this run or an earlier one. */
  hasRead(mailId: string): boolean {
    return this.mailbox.hasRead(mailId);
  }

  get hasEnded(): boolean {
    return hasEnded(this.#record);
  }

  get isBusy(): boolean {
    return isBusy(this.#record);
  }

  /** The final text, or the latest one so far. */
  get content(): string {
    return this.result?.content ?? this.#lastWords.text;
  }

  get callsUnderWay(): AgentEvent[] {
    return this.#calls.values().toArray();
  }

  /** Policy for its calls and its children: as resolved, or as changed by an approved plan. */
  get meets(): ResolvedAgent["meets"] {
    return this.#meets;
  }

  figures(now: number): AgentFigures {
    return runFigures(this.#record, now);
  }

  /** Resolves when the agent is moved to the background and its parent no longer waits. */
  get movedToBackground(): Promise<void> {
    return this.#moved.promise;
  }

  /** Begins a run. A run that resumes an interrupted task keeps its usage and its approved plan. */
  begin(run: Run, options: { resumes: boolean; hasLeftPlan: boolean; at: number }): void {
    this.#record = beginRun(
      { ...this.#record, background: this.agent.relates.background },
      options,
    );
    this.#meets = options.hasLeftPlan ? leftPlan(this.agent.meets) : this.agent.meets;
    this.result = undefined;
    this.#lastWords = new LastWords();
    this.#moved = Promise.withResolvers();
    this.#run = run;
  }

  /** Detaches the agent from its waiting parent. The event that follows notifies all readers. */
  moveToBackground(): void {
    this.#run?.unlink();
    this.#moved.resolve();
  }

  apply(event: AgentEvent): void {
    this.#record = advance(this.#record, event);
    this.#lastWords.apply(event);
    if (event.type === "mode-change") this.#meets = leftPlan(this.agent.meets);
    if (event.type === "tool-call-start") this.#calls.set(event.call.id, event);
    if (event.type === "tool-call-end") this.#calls.delete(event.call.id);
    if (event.type !== "agent-end") return;
    this.#calls.clear();
    this.result = event.result;
  }

  deliver(words: string): void {
    this.#words = words;
  }

  takeWords(): string | undefined {
    const words = this.#words;
    this.#words = undefined;
    return words;
  }

  /** Asks the run under way to end; `ended` resolves when it has. */
  stop(reason: string): void {
    this.#run?.abort.abort(new StopCause("stopped", reason));
  }

  /**
   * The reason why the run under way is being ended. Foreground children have the identical object, not an equal one.
   */
  get cause(): unknown {
    return this.#run?.abort.signal.reason;
  }

  /** Options for ending the run under way. */
  get ending(): RunEnding | undefined {
    return this.#run?.ending;
  }
}

/** A run under way. */
export interface Run {
  readonly abort: AbortController;
  readonly ending: RunEnding;
  readonly ended: Promise<AgentResult>;
  /** Detaches the run from the parent, which may end without it. */
  readonly unlink: () => void;
}

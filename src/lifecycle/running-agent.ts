import type { AgentFigures, AgentResult } from "../agent-result.ts";
import type { AgentEvent } from "../events/event.ts";
import { addUsage, noUsage, type Usage } from "../message.ts";
import { addCost } from "../model/prices.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import { StopCause } from "./abort.ts";
import type { AgentFiles } from "./agent-files.ts";
import { nextState, type AgentState } from "./agent-state.ts";
import { Figures } from "./figures.ts";
import { leftPlan } from "./left-plan.ts";
import { Mailbox } from "./mailbox.ts";
import type { Past } from "./past.ts";
import type { RunEnding } from "./run-ending.ts";

/** One agent that this process knows: what it is, how it stands, and, for whoever still holds it, how it ended. */
export class RunningAgent {
  readonly agent: ResolvedAgent;
  readonly files: AgentFiles;
  /** When it first left the line; until then, when it was asked for. */
  startedAt: number;
  /** It was spawned without a task: it takes one after the other and idles between them. */
  readonly standing: boolean;
  readonly mailbox = new Mailbox();
  /** Nobody waits for its result: whoever asked for it is told when it ends. */
  isBackground: boolean;
  /** How many of its runs have ended, in this process and in others. */
  runs = 0;
  state: AgentState;
  endedAt: number | undefined;
  result: AgentResult | undefined;
  #hasStarted = false;
  #figures: Figures;
  /** What earlier tasks took. */
  #past: { usage: Usage; costUsd: number | null } = { usage: noUsage, costUsd: 0 };
  /** The text of the last result as it was said, until a parent has taken it. */
  #words: string | undefined;
  #run: Run | undefined;
  #moved = Promise.withResolvers<void>();
  #meets: ResolvedAgent["meets"];
  /** How each tool call that runs now was announced. */
  #calls: Map<string, AgentEvent> | undefined;

  constructor(options: {
    agent: ResolvedAgent;
    files: AgentFiles;
    startedAt: number;
    standing: boolean;
  }) {
    this.agent = options.agent;
    this.#meets = options.agent.meets;
    this.files = options.files;
    this.startedAt = options.startedAt;
    this.standing = options.standing;
    this.isBackground = options.agent.relates.background;
    this.state = options.standing ? "idle" : "queued";
    this.#figures = new Figures(options.startedAt);
  }

  /** Resolves with the result of the run under way, or of the last one. Never rejects. */
  get ended(): Promise<AgentResult> {
    if (this.#run !== undefined) return this.#run.ended;
    return this.result === undefined ? new Promise(() => undefined) : Promise.resolve(this.result);
  }

  get hasEnded(): boolean {
    return this.state === "completed" || this.state === "failed" || this.state === "stopped";
  }

  get isBusy(): boolean {
    return this.state === "queued" || this.state === "running" || this.state === "waiting";
  }

  /** The final text, or what it said last so far. */
  get content(): string {
    return this.result?.content ?? this.#figures.text;
  }

  get lastTool(): string | null {
    return this.#figures.lastTool;
  }

  /** The events that announced the tool calls that run now. */
  get callsUnderWay(): AgentEvent[] {
    return [...(this.#calls?.values() ?? [])];
  }

  /** The policy for its calls and its children: as it was resolved, or as an approved plan has changed it. */
  get meets(): ResolvedAgent["meets"] {
    return this.#meets;
  }

  figures(now: number): AgentFigures {
    return this.result ?? this.#figures.at(now);
  }

  /** Of all its tasks but the last. */
  get usageBefore(): Usage {
    return this.#past.usage;
  }

  /** Over all its tasks. */
  usage(now: number): Usage {
    return addUsage(this.#past.usage, this.figures(now).usage);
  }

  /** Over all its tasks, in US dollars; `null` = unknown. */
  costUsd(now: number): number | null {
    return addCost(this.#past.costUsd, this.figures(now).costUsd);
  }

  /** Resolves when nobody waits for it any more, because it was moved to the background. */
  get movedToBackground(): Promise<void> {
    return this.#moved.promise;
  }

  /** An agent of an earlier run, or of another process, as its files tell it. */
  recall(past: Past, endedAt: number | undefined): void {
    this.runs = past.runs;
    this.endedAt = endedAt;
    this.#hasStarted = true;
    if (past.end === null) {
      this.state = "interrupted";
      this.#past = past.earlier;
      this.#figures = new Figures(this.startedAt, past.underWay, past.lastText);
      return;
    }
    this.result = { ...past.end, content: past.end.content ?? past.lastText };
    this.state = past.end.state;
    this.#past = lessOf(past.earlier, this.result);
  }

  /**
   * A run begins: what the last one left is no longer the result. One that goes on with an interrupted task counts on, and
   * an approved plan is one of that task.
   */
  begin(run: Run, goesOn: Past["underWay"] | null, hasLeftPlan: boolean): void {
    const earlier =
      goesOn === null
        ? { usage: this.usage(this.startedAt), costUsd: this.costUsd(this.startedAt) }
        : this.#past;
    this.state = "queued";
    this.#meets = hasLeftPlan ? leftPlan(this.agent.meets) : this.agent.meets;
    this.#past = earlier;
    this.result = undefined;
    this.endedAt = undefined;
    this.#figures = new Figures(this.startedAt, goesOn ?? undefined);
    this.#moved = Promise.withResolvers();
    this.#run = run;
  }

  /** From now on nobody waits for it, and it does not end with whoever did. */
  moveToBackground(): void {
    this.isBackground = true;
    this.#run?.unlink();
    this.#moved.resolve();
  }

  apply(event: AgentEvent): void {
    this.#figures.apply(event);
    this.state = nextState(this.state, event, this.standing);
    if (event.type === "agent-start") this.#noteStart(event.at);
    if (event.type === "mode-change") this.#meets = leftPlan(this.agent.meets);
    if (event.type === "tool-call-start") (this.#calls ??= new Map()).set(event.call.id, event);
    if (event.type === "tool-call-end") this.#calls?.delete(event.call.id);
    if (event.type !== "agent-end") return;
    this.#calls = undefined;
    this.runs += 1;
    this.result = event.result;
    this.endedAt = event.at;
  }

  #noteStart(at: number): void {
    if (!this.#hasStarted) this.startedAt = at;
    this.#hasStarted = true;
  }

  deliver(words: string): void {
    this.#words = words;
  }

  takeWords(): string | undefined {
    const words = this.#words;
    this.#words = undefined;
    return words;
  }

  /** Asks the run under way to end; `ended` tells when it has. */
  stop(reason: string): void {
    this.#run?.abort.abort(new StopCause("stopped", reason));
  }

  /** Why the run under way is being ended, if it is. Foreground children have the same one, not an equal one. */
  get cause(): unknown {
    return this.#run?.abort.signal.reason;
  }

  /** How the run under way is ended. */
  get ending(): RunEnding | undefined {
    return this.#run?.ending;
  }
}

/** A run under way. */
export interface Run {
  readonly abort: AbortController;
  readonly ending: RunEnding;
  readonly ended: Promise<AgentResult>;
  /** Lets go of the parent, which may end without it. */
  readonly unlink: () => void;
}

/** Of all that was taken, what was taken before the last run. */
function lessOf(
  all: { usage: Usage; costUsd: number | null },
  { usage, costUsd }: AgentFigures,
): { usage: Usage; costUsd: number | null } {
  return {
    usage: {
      input: all.usage.input - usage.input,
      output: all.usage.output - usage.output,
      cacheRead: all.usage.cacheRead - usage.cacheRead,
      cacheWrite: all.usage.cacheWrite - usage.cacheWrite,
    },
    costUsd: all.costUsd === null || costUsd === null ? null : all.costUsd - costUsd,
  };
}

import type { AgentFigures, AgentResult } from "../agent-result.ts";
import type { AgentEvent } from "../events/event.ts";
import { addUsage, noUsage, type Usage } from "../message.ts";
import { addCost } from "../model/prices.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import { StopCause } from "./abort.ts";
import type { AgentFiles } from "./agent-files.ts";
import { nextState, type AgentState } from "./agent-state.ts";
import { Figures } from "./figures.ts";

/** One agent that this process knows: what it is, how it stands, and how it ended. Readable long after its end. */
export class RunningAgent {
  agent: ResolvedAgent;
  readonly files: AgentFiles;
  readonly startedAt: number;
  /** It was spawned without a task: it takes one after the other and idles between them. */
  readonly standing: boolean;
  state: AgentState;
  endedAt: number | undefined;
  result: AgentResult | undefined;
  #figures: Figures;
  /** What earlier tasks took. */
  #past: { usage: Usage; costUsd: number | null } = { usage: noUsage, costUsd: 0 };
  /** The text of the last result as it was said, until a parent has taken it. */
  #words: string | undefined;
  #run: { abort: AbortController; ended: Promise<AgentResult> } | undefined;

  constructor(options: {
    agent: ResolvedAgent;
    files: AgentFiles;
    startedAt: number;
    standing: boolean;
  }) {
    this.agent = options.agent;
    this.files = options.files;
    this.startedAt = options.startedAt;
    this.standing = options.standing;
    this.state = options.standing ? "idle" : "queued";
    this.#figures = new Figures(options.startedAt);
  }

  /** Resolves with the result of the run under way, or of the last one. Never rejects. */
  get ended(): Promise<AgentResult> {
    return this.#run?.ended ?? new Promise(() => undefined);
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

  figures(now: number): AgentFigures {
    return this.result ?? this.#figures.at(now);
  }

  /** Over all its tasks. */
  usage(now: number): Usage {
    return addUsage(this.#past.usage, this.figures(now).usage);
  }

  /** Over all its tasks, in US dollars; `null` = unknown. */
  costUsd(now: number): number | null {
    return addCost(this.#past.costUsd, this.figures(now).costUsd);
  }

  /** A run begins: what the last one left is no longer the result. */
  begin(abort: AbortController, ended: Promise<AgentResult>): void {
    this.state = "queued";
    this.#past = { usage: this.usage(this.startedAt), costUsd: this.costUsd(this.startedAt) };
    this.result = undefined;
    this.endedAt = undefined;
    this.#figures = new Figures(this.startedAt);
    this.#run = { abort, ended };
  }

  apply(event: AgentEvent): void {
    this.#figures.apply(event);
    this.state = nextState(this.state, event, this.standing);
    if (event.type !== "agent-end") return;
    this.result = event.result;
    this.endedAt = event.at;
    if (this.hasEnded) this.agent = withoutPrompt(this.agent);
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
}

/** An ended agent stays readable for as long as the process lives; what it was told need not. */
function withoutPrompt(agent: ResolvedAgent): ResolvedAgent {
  const sees = { system: "", attachments: [], reminder: null };
  return Object.freeze({ ...agent, sees: Object.freeze(sees), toolReport: [] });
}

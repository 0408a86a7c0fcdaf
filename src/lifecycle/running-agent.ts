import type { AgentFigures, AgentResult } from "../agent-result.ts";
import type { AgentEvent } from "../events/event.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import type { TranscriptRecorder } from "../transcript/recorder.ts";
import { Figures } from "./figures.ts";
import { StopCause } from "./abort.ts";

export type AgentState =
  | "queued"
  | "running"
  | "waiting"
  | "idle"
  | "completed"
  | "failed"
  | "stopped";

/** One agent that this process knows: what it is, how it stands, and how it ended. Readable long after its end. */
export class RunningAgent {
  readonly agent: ResolvedAgent;
  readonly recorder: TranscriptRecorder;
  readonly startedAt: number;
  /** It was spawned without a task: it takes one after the other and idles between them. */
  readonly standing: boolean;
  state: AgentState;
  endedAt: number | undefined;
  result: AgentResult | undefined;
  #figures: Figures;
  #run: { abort: AbortController; ended: Promise<AgentResult> } | undefined;

  constructor(options: {
    agent: ResolvedAgent;
    recorder: TranscriptRecorder;
    startedAt: number;
    standing: boolean;
  }) {
    this.agent = options.agent;
    this.recorder = options.recorder;
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

  begin(abort: AbortController, ended: Promise<AgentResult>, at: number): void {
    this.state = "queued";
    this.result = undefined;
    this.#figures = new Figures(at);
    this.#run = { abort, ended };
  }

  /** Takes in an event that the driver has stored. */
  apply(event: AgentEvent): void {
    this.#figures.apply(event);
    switch (event.type) {
      case "agent-start":
      case "agent-wake":
        this.state = "running";
        break;
      case "agent-wait":
        this.state = "waiting";
        break;
      case "agent-end":
        this.result = event.result;
        this.endedAt = event.at;
        this.state =
          this.standing && event.result.state !== "stopped" ? "idle" : event.result.state;
        break;
      default:
    }
  }

  /** Asks the run under way to end; `ended` tells when it has. */
  stop(reason: string): void {
    this.#run?.abort.abort(new StopCause("stopped", reason));
  }
}

import type { AgentEventBody } from "../../events/event.ts";
import { ladder, spokenTime } from "../../loop/ladder.ts";
import type { Clock } from "../../platform/clock.ts";
import { noProgress, timeLimit, type WrapUp, type WrapUpReason } from "../../loop/wrap-up.ts";
import type { Limits } from "../../settings/settings.ts";
import { Deadline } from "./deadline.ts";
import { Progress } from "./progress.ts";

/**
 * The two clocks of one run: its total time, and its time without progress. Each warns, then asks the agent to report,
 * which interrupts the current work. Both are paused while the agent waits. (The clock of a tool call is in the loop.)
 */
export class Deadlines implements Disposable {
  readonly #wall: Deadline;
  readonly #quiet: Deadline;
  readonly #clock: Clock;
  readonly #progress = new Progress();
  readonly #limits: Pick<Limits, "toolTimeout" | "noProgress">;
  /** Tool calls under way, with their start. */
  readonly #calls = new Map<string, number>();
  /** Whether the calls of this turn are new ones, not repetitions of an earlier turn. */
  #isFresh = true;

  constructor(options: {
    timeout: number;
    limits: Pick<Limits, "toolTimeout" | "noProgress">;
    wrapUp: WrapUp;
    clock: Clock;
    emit: (event: AgentEventBody) => void;
  }) {
    const { timeout, limits, wrapUp, clock, emit } = options;
    this.#clock = clock;
    this.#limits = limits;
    const warn = (which: "wall" | "progress", message: string) => (leftMs: number) => {
      if (wrapUp.asked !== undefined) return;
      emit({ type: "deadline-warning", clock: which, callId: null, leftMs, message });
    };
    const ask = (reason: WrapUpReason): number => {
      wrapUp.ask(reason);
      return 0;
    };
    const wall = spokenTime(timeout);
    const quiet = spokenTime(limits.noProgress);
    this.#wall = new Deadline(timeout, {
      clock,
      warn: warn("wall", `${used} of its time (${wall}) is used.`),
      expire: () => ask(timeLimit(wall)),
    });
    this.#quiet = new Deadline(limits.noProgress, {
      clock,
      warn: warn("progress", `Nothing new for ${used} of the longest time allowed (${quiet}).`),
      expire: () => this.#leftOfCalls() || ask(noProgress(quiet)),
    });
  }

  /** Takes every event of the agent. */
  hear(event: AgentEventBody): void {
    const isNews = this.#progress.isNews(event);
    if (isNews) this.#quiet.restart();
    switch (event.type) {
      case "model-retry":
        // The pause is the provider's time.
        this.#quiet.grant(event.delayMs);
        return;
      case "assistant-message":
        this.#isFresh = isNews;
        return;
      case "tool-call-start":
        this.#calls.set(event.call.id, this.#clock.elapsed());
        return;
      case "tool-call-end":
        this.#calls.delete(event.call.id);
        return;
      case "agent-wake":
        // A call that had to wait begins only now.
        for (const id of this.#calls.keys()) this.#calls.set(id, this.#clock.elapsed());
        return;
      default:
    }
  }

  /**
   * The time left for silent calls, if their own limit is not the longer one: then only the call ends, not the agent.
   */
  #leftOfCalls(): number {
    const { toolTimeout, noProgress: longest } = this.#limits;
    if (!this.#isFresh || toolTimeout > longest) return 0;
    const latest = Math.max(...this.#calls.values()) + toolTimeout + ladder.toolGraceMs;
    return Math.max(0, latest - this.#clock.elapsed());
  }

  /** Restarts the clock: an answer grows by pieces that are not shown; a provider ends it at its length limit. */
  grows(): void {
    this.#quiet.restart();
  }

  pause(): void {
    this.#wall.pause();
    this.#quiet.pause();
  }

  resume(): void {
    this.#wall.resume();
    this.#quiet.resume();
  }

  [Symbol.dispose](): void {
    this.#wall[Symbol.dispose]();
    this.#quiet[Symbol.dispose]();
  }
}

const used = `${ladder.warnAt * 100} %`;

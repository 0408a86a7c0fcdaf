import type { AgentEvent, AnswerRecord, StopReason, ToolCall } from "../events/event.ts";
import type { AgentId } from "../ids.ts";
import { addUsage, noUsage, type Usage } from "../message.ts";
import { addCost } from "../model/prices.ts";

/** What a run took over all its agents, read from its events. Ids, models and inputs are kept as they came. */
export class RunTotals {
  startedAt: number | null = null;
  usage: Usage = noUsage;
  readonly usageByModel: Map<string, Usage> = new Map();
  /** In US dollars; null = unknown. */
  costUsd: number | null = 0;
  readonly costByModel: Map<string, number | null> = new Map();
  searches: number = 0;
  /** How long models were waited for, pauses between attempts included; those of agents side by side add up. */
  modelMs: number = 0;
  /** The first 200; the count per agent is complete. */
  readonly denials: Denial[] = [];
  /** Of the main agent's last answer. */
  stopReason: StopReason | null = null;
  #main: AgentId | null = null;

  apply(event: AgentEvent): void {
    this.startedAt ??= event.at;
    this.#main ??= event.agentId;
    if (event.type === "permission-deny" && this.denials.length < 200) {
      this.denials.push({ agentId: event.agentId, call: event.call });
    }
    if (event.type === "spend") {
      this.searches += event.searches;
      this.modelMs += event.durationMs;
      this.#spend(event, event.costUsd);
    }
    if (event.type !== "assistant-message") return;
    this.modelMs += event.durationMs;
    this.#spend(event.answer, event.costUsd);
    if (event.agentId === this.#main) this.stopReason = event.answer.stopReason;
  }

  #spend({ model, usage }: Pick<AnswerRecord, "model" | "usage">, costUsd: number | null): void {
    this.usage = addUsage(this.usage, usage);
    this.usageByModel.set(model, addUsage(this.usageByModel.get(model) ?? noUsage, usage));
    this.costUsd = addCost(this.costUsd, costUsd);
    const past = this.costByModel.get(model);
    this.costByModel.set(model, past === undefined ? costUsd : addCost(past, costUsd));
  }
}

export interface Denial {
  readonly agentId: AgentId;
  readonly call: ToolCall;
}

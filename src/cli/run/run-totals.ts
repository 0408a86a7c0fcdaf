import {
  nothingUsed,
  plus,
  totalOf,
  type AgentRecord,
  type Used,
} from "../../events/agent-record.ts";
import type { AgentEvent, StopReason, ToolCall } from "../../events/event.ts";
import type { AgentId } from "../../contract/ids.ts";

/** The usage of all agents of a run, folded from its events. Ids, models and inputs are kept as they came. */
export class RunTotals {
  startedAt: number | null = null;
  used: Used = nothingUsed;
  readonly byModel: Map<string, Used> = new Map();
  searches: number = 0;
  /** Milliseconds spent waiting for models, pauses between attempts included; agents side by side add up. */
  modelMs: number = 0;
  /** The first 200; the count per agent is complete. */
  readonly denials: Denial[] = [];
  /** The stop reason of the main agent's last answer. */
  stopReason: StopReason | null = null;
  #main: AgentId | null = null;

  apply(event: AgentEvent): void {
    this.startedAt ??= event.at;
    this.#main ??= event.agentId;
    // An interrupted run that is resumed is one run.
    if ("agent" in event && event.agent.earlier !== undefined)
      this.#count(event.agent.model, event.agent.earlier.run);
    if (event.type === "permission-deny" && this.denials.length < 200) {
      this.denials.push({ agentId: event.agentId, call: event.call });
    }
    if (event.type === "spend") {
      this.searches += event.searches;
      this.modelMs += event.durationMs;
      this.#count(event.model, { ...nothingUsed, usage: event.usage, costUsd: event.costUsd });
    }
    if (event.type !== "assistant-message") return;
    this.modelMs += event.durationMs;
    const { model, usage } = event.answer;
    this.#count(model, { ...nothingUsed, turns: 1, usage, costUsd: event.costUsd });
    if (event.agentId === this.#main) this.stopReason = event.answer.stopReason;
  }

  /** Adds an agent that runs already, with its usage so far. */
  add(record: AgentRecord): void {
    this.startedAt ??= record.startedAt;
    this.#main ??= record.id;
    this.#count(record.model, totalOf(record));
  }

  #count(model: string, used: Used): void {
    this.used = plus(this.used, used);
    this.byModel.set(model, plus(this.byModel.get(model) ?? nothingUsed, used));
  }
}

export interface Denial {
  readonly agentId: AgentId;
  readonly call: ToolCall;
}

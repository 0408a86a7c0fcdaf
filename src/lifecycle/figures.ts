import type { AgentFigures } from "../agent-result.ts";
import type { AgentEvent } from "../events/event.ts";
import { addUsage, noUsage, textOf } from "../message.ts";
import { addCost } from "../model/prices.ts";

/** What a run has taken so far and said last, counted from its events. */
export class Figures {
  #startedAt: number;
  turns = 0;
  toolUses = 0;
  denials = 0;
  usage = noUsage;
  lastUsage = noUsage;
  costUsd: number | null = 0;
  lastTool: string | null = null;
  /** The latest whole text of the agent: its partial result if it ends now. */
  text = "";

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  apply(event: AgentEvent): void {
    // The time in line is not the agent's.
    if (event.type === "agent-start") this.#startedAt = event.at;
    if (event.type === "assistant-message") {
      this.turns += 1;
      this.usage = addUsage(this.usage, event.answer.usage);
      this.lastUsage = event.answer.usage;
      this.costUsd = addCost(this.costUsd, event.costUsd);
      const text = textOf(event.answer.message.content);
      if (text.trim() !== "") this.text = text;
    } else if (event.type === "spend") {
      this.usage = addUsage(this.usage, event.usage);
      this.costUsd = addCost(this.costUsd, event.costUsd);
    } else if (event.type === "tool-call-start") {
      this.toolUses += 1;
      this.lastTool = event.call.name;
    } else if (event.type === "permission-deny") this.denials += 1;
  }

  at(now: number): AgentFigures {
    const { turns, toolUses, denials, usage, lastUsage, costUsd } = this;
    const durationMs = now - this.#startedAt;
    return { turns, toolUses, denials, usage, lastUsage, costUsd, durationMs };
  }
}

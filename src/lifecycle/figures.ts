import type { AgentFigures, DeniedCall } from "../agent-result.ts";
import type { AgentEvent } from "../events/event.ts";
import { addUsage, noUsage, textOf } from "../message.ts";
import { addCost } from "../model/prices.ts";
import type { Taken } from "./past.ts";

/** More would not be read. */
const mostDenied = 20;

/** What a run has taken so far and said last, counted from its events. */
export class Figures {
  #startedAt: number;
  turns = 0;
  toolUses = 0;
  denials = 0;
  readonly #denied: DeniedCall[] = [];
  usage = noUsage;
  lastUsage = noUsage;
  costUsd: number | null = 0;
  lastTool: string | null = null;
  /** The latest whole text of the agent. */
  #text = "";
  /** What has arrived since of an answer that is not whole, or never became so. */
  #arriving = "";
  #isAskedAnew = false;

  /** `before`: what the same task took in an earlier process, and what it had said. */
  constructor(startedAt: number, before?: Taken, text = "") {
    this.#startedAt = startedAt;
    this.#text = text;
    if (before === undefined) return;
    this.turns = before.turns;
    this.toolUses = before.toolUses;
    this.usage = before.usage;
    this.costUsd = before.costUsd;
  }

  /** What the agent said last: its partial result if it ends now. */
  get text(): string {
    return [this.#text, this.#arriving].filter((part) => part.trim() !== "").join("\n\n");
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
      if (text.trim() !== "") this.#text = text;
      this.#arriving = "";
    } else if (event.type === "text-delta") {
      this.#arriving = this.#isAskedAnew ? event.text : this.#arriving + event.text;
      this.#isAskedAnew = false;
    } else if (event.type === "turn-start" || event.type === "model-retry") {
      this.#isAskedAnew = true;
    } else if (event.type === "spend") {
      this.usage = addUsage(this.usage, event.usage);
      this.costUsd = addCost(this.costUsd, event.costUsd);
    } else if (event.type === "tool-call-start") {
      this.toolUses += 1;
      this.lastTool = event.call.name;
    } else if (event.type === "permission-deny") this.#deny(event.call.name, event.reason);
  }

  at(now: number): AgentFigures {
    const { turns, toolUses, denials, usage, lastUsage, costUsd } = this;
    const durationMs = now - this.#startedAt;
    const deniedCalls = this.#denied.map((denied) => ({ ...denied }));
    return { turns, toolUses, denials, deniedCalls, usage, lastUsage, costUsd, durationMs };
  }

  #deny(tool: string, reason: string): void {
    this.denials += 1;
    const known = this.#denied.find((one) => one.tool === tool && one.reason === reason);
    if (known !== undefined) known.count += 1;
    else if (this.#denied.length < mostDenied) this.#denied.push({ tool, reason, count: 1 });
  }
}

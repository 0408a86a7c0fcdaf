import { addUsage, noUsage, type Usage } from "../message.ts";
import type { Spending, Totals } from "./totals.ts";

/** Costs that are not known are counted, so that an agent can be taken out of a sum again. */
interface Sum {
  agents: number;
  usage: Usage;
  knownUsd: number;
  unknown: number;
}

const nothing: Sum = { agents: 0, usage: noUsage, knownUsd: 0, unknown: 0 };

/** Adds up what agents took, by type. */
export class Tally {
  readonly #byType = new Map<string, Sum>();

  add(type: string, { usage, costUsd }: Omit<Spending, "agents">): void {
    const unknown = costUsd === null ? 1 : 0;
    this.#put(type, { agents: 1, usage, knownUsd: costUsd ?? 0, unknown });
  }

  /** Takes back what was added. */
  subtract(type: string, { usage, costUsd }: Omit<Spending, "agents">): void {
    const { input, output, cacheRead, cacheWrite } = usage;
    const less = { input: -input, output: -output, cacheRead: -cacheRead, cacheWrite: -cacheWrite };
    const unknown = costUsd === null ? -1 : 0;
    this.#put(type, { agents: -1, usage: less, knownUsd: -(costUsd ?? 0), unknown });
  }

  merge(other: Tally | undefined): void {
    if (other === undefined) return;
    for (const [type, sum] of other.#byType) this.#put(type, sum);
  }

  totals(): Totals {
    const byType = [...this.#byType].filter(([, { agents }]) => agents > 0);
    const all = byType.reduce((total, [, sum]) => plus(total, sum), nothing);
    return {
      ...spendingOf(all),
      byType: Object.fromEntries(byType.map(([type, sum]) => [type, spendingOf(sum)])),
    };
  }

  #put(type: string, more: Sum): void {
    this.#byType.set(type, plus(this.#byType.get(type) ?? nothing, more));
  }
}

function plus(one: Sum, other: Sum): Sum {
  return {
    agents: one.agents + other.agents,
    usage: addUsage(one.usage, other.usage),
    knownUsd: one.knownUsd + other.knownUsd,
    unknown: one.unknown + other.unknown,
  };
}

function spendingOf({ agents, usage, knownUsd, unknown }: Sum): Spending {
  return { agents, usage, costUsd: unknown > 0 ? null : knownUsd };
}

import { nothingUsed, plus, type Used } from "../events/agent-record.ts";
import type { Spending, Totals } from "./totals.ts";

/** A sum that counts unknown costs, so that an agent can be subtracted again. */
interface CountedUsage {
  agents: number;
  used: Used;
  unknown: number;
}

const nothing: CountedUsage = { agents: 0, used: nothingUsed, unknown: 0 };

/** The usage of several agents, by type. */
export class UsageByType {
  readonly #byType = new Map<string, CountedUsage>();

  add(type: string, used: Used): void {
    const unknown = used.costUsd === null ? 1 : 0;
    this.#put(type, { agents: 1, used: { ...used, costUsd: used.costUsd ?? 0 }, unknown });
  }

  subtract(type: string, used: Used): void {
    const unknown = used.costUsd === null ? -1 : 0;
    this.#put(type, { agents: -1, used: negative(used), unknown });
  }

  merge(other: UsageByType): void {
    for (const [type, sum] of other.#byType) this.#put(type, sum);
  }

  totals(): Totals {
    const byType = [...this.#byType].filter(([, { agents }]) => agents > 0);
    const all = byType.reduce((total, [, sum]) => sumOf(total, sum), nothing);
    return {
      ...spendingOf(all),
      byType: Object.fromEntries(byType.map(([type, sum]) => [type, spendingOf(sum)])),
    };
  }

  #put(type: string, more: CountedUsage): void {
    this.#byType.set(type, sumOf(this.#byType.get(type) ?? nothing, more));
  }
}

function sumOf(one: CountedUsage, other: CountedUsage): CountedUsage {
  return {
    agents: one.agents + other.agents,
    used: plus(one.used, other.used),
    unknown: one.unknown + other.unknown,
  };
}

function negative({ turns, toolUses, usage, costUsd }: Used): Used {
  const { input, output, cacheRead, cacheWrite } = usage;
  return {
    turns: -turns,
    toolUses: -toolUses,
    usage: { input: -input, output: -output, cacheRead: -cacheRead, cacheWrite: -cacheWrite },
    costUsd: -(costUsd ?? 0),
  };
}

function spendingOf({ agents, used, unknown }: CountedUsage): Spending {
  return { agents, usage: used.usage, costUsd: unknown > 0 ? null : used.costUsd };
}

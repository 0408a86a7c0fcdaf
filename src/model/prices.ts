import priceList from "../../prices.json" with { type: "json" };
import { addCost, type Usage } from "../contract/message.ts";
import type { Settings } from "../settings/settings.ts";

/**
 * The cost of answers in US dollars: tokens, and the fees of web searches. `null` is unknown: it is never shown as a
 * number, and a sum with an unknown part is unknown too. The list is `prices.json`; the setting `prices` wins over it.
 */
export function answerCost(
  answer: { model: string; usage: Usage; searches?: number },
  overrides: PriceOverrides,
): number | null {
  const price = priceOf(answer.model, overrides);
  const fees = (answer.searches ?? 0) * priceList.perWebSearch;
  return price === undefined ? null : addCost(costOf(answer.usage, price), fees);
}

export type PriceOverrides = Settings["prices"];

/** Rates in US dollars per million tokens. A missing rate is unknown, not zero. */
interface Rates {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

export interface Price extends Rates {
  /** Rates of a whole answer whose prompt, cached parts included, has more than `over` tokens. */
  longPrompt?: Rates & { over: number };
}

/**
 * The price of exactly this id; an id with a date (`claude-haiku-4-5-20251001`) falls back to the id without it. No
 * other prefix matches: `claude-opus-5-9` would otherwise get the price of `claude-opus-5`. Scripted answers
 * (`rehearsal/…`) have none, whatever the overrides say.
 */
export function priceOf(model: string, overrides: PriceOverrides): Price | undefined {
  if (model.startsWith("rehearsal/")) return undefined;
  const ids = [model, model.replace(/-\d{8}$/, "")];
  for (const table of [overrides, shipped]) {
    const id = ids.find((id) => Object.hasOwn(table, id));
    if (id !== undefined) return table[id];
  }
  return undefined;
}

const shipped: Readonly<Record<string, Price>> = priceList.models;

/** The cost of one answer. For several answers add up their costs, because long prompts may have other rates. */
export function costOf(usage: Usage, price: Price): number | null {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const { longPrompt } = price;
  const rates: Rates = longPrompt !== undefined && prompt > longPrompt.over ? longPrompt : price;
  let cost = 0;
  for (const kind of ["input", "output", "cacheRead", "cacheWrite"] as const) {
    const rate = rates[kind];
    if (usage[kind] === 0) continue;
    if (rate === undefined) return null;
    cost += usage[kind] * rate;
  }
  return cost / 1_000_000;
}

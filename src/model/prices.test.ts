import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fc } from "../../test/support/properties.ts";
import { addCost, addUsage, noUsage } from "../contract/message.ts";
import { answerCost, costOf, priceOf } from "./prices.ts";

const own = { input: 7, output: 8, cacheRead: 9, cacheWrite: 10 };

describe("priceOf", () => {
  test("an id with a date has the price of the id without it, unless it has one of its own", () => {
    expect(priceOf("claude-haiku-4-5-20251001", {})).toEqual(priceOf("claude-haiku-4-5", {}));
    expect(priceOf("claude-haiku-4-5", {})).toMatchObject({ input: 1, output: 5 });
    const dated = { "claude-haiku-4-5-20251001": own };
    expect(priceOf("claude-haiku-4-5-20251001", dated)).toBe(own);
    expect(priceOf("claude-haiku-4-5", dated)).not.toBe(own);
  });

  test("an override wins over the list, for dated ids too, and prices what the list does not know", () => {
    expect(priceOf("claude-opus-5-5", { "claude-opus-5-5": own })).toBe(own);
    expect(priceOf("claude-opus-5-5-20260901", { "claude-opus-5-5": own })).toBe(own);
    expect(priceOf("acme/large", { "acme/large": own })).toBe(own);
  });

  test.each([
    "claude-opus-9",
    "claude-opus-5-9",
    "claude-opus-5-5-fast",
    "claude-haiku-4-5-2025",
    "claude",
    "",
    "constructor",
    "__proto__",
  ])("a model that is not on the list is unknown, however it begins: '%s'", (model) => {
    expect(priceOf(model, {})).toBeUndefined();
  });

  test("a scripted answer has no price, whatever the overrides say", () => {
    expect(priceOf("rehearsal/claude-opus-5-5", { "rehearsal/claude-opus-5-5": own })).toBe(
      undefined,
    );
  });
});

describe("costOf", () => {
  test("each kind of token has its rate per million", () => {
    const usage = { input: 1_000_000, output: 100_000, cacheRead: 10_000, cacheWrite: 1000 };
    expect(costOf(usage, own)).toBeCloseTo(7 + 0.8 + 0.09 + 0.01, 12);
    expect(costOf(noUsage, own)).toBe(0);
  });

  test("tokens of a kind without a rate make the cost unknown; without such tokens it is known", () => {
    const price = { input: 1, output: 2 };
    expect(costOf({ ...noUsage, input: 10, cacheRead: 1 }, price)).toBeNull();
    expect(costOf({ ...noUsage, input: 10, cacheWrite: 1 }, price)).toBeNull();
    expect(costOf({ ...noUsage, input: 1_000_000 }, price)).toBe(1);
  });

  test("a long prompt, counted with its cached parts, has rates of its own for the whole answer", () => {
    const price = { input: 1, output: 1, cacheRead: 1, longPrompt: { ...own, over: 100 } };
    const short = { ...noUsage, input: 60, cacheRead: 40, output: 1000 };
    expect(costOf(short, price)).toBeCloseTo(1100e-6, 12);
    expect(costOf({ ...short, input: 61 }, price)).toBeCloseTo((61 * 7 + 40 * 9 + 8000) / 1e6, 12);
  });

  test("is additive over usages", () => {
    const count = fc.nat(10_000_000);
    const usage = fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count });
    const rate = fc.double({ min: 0, max: 1000, noNaN: true });
    const price = fc.record({ input: rate, output: rate, cacheRead: rate, cacheWrite: rate });
    fc.assert(
      fc.property(usage, usage, price, (a, b, price) => {
        const apart = addCost(costOf(a, price), costOf(b, price)) ?? Number.NaN;
        const together = costOf(addUsage(a, b), price) ?? Number.NaN;
        expect(Math.abs(apart - together)).toBeLessThanOrEqual(1e-12 * Math.max(1, together));
      }),
    );
  });
});

test("unknown stays unknown in every sum", () => {
  expect(addCost(null, 1)).toBeNull();
  expect(addCost(1, null)).toBeNull();
  expect(answerCost({ model: "acme/large", usage: noUsage }, {})).toBeNull();
});

test("the shipped list is dated, names its source, and holds whole prices", () => {
  const rate = z.number().positive();
  const rates = { input: rate, output: rate, cacheRead: rate.optional(), cacheWrite: rate };
  const list = z.strictObject({
    asOf: z.iso.date(),
    source: z.string().min(1),
    unit: z.literal("USD per million tokens"),
    perWebSearch: z.number().positive(),
    models: z.record(
      z.string().regex(/^claude-[a-z]+(-\d+)+$/),
      z.strictObject({
        ...rates,
        longPrompt: z.strictObject({ ...rates, over: z.int().positive() }).optional(),
      }),
    ),
  });
  const file = readFileSync(new URL("../../prices.json", import.meta.url), "utf8");
  const { models } = list.parse(JSON.parse(file));
  for (const { input, output, cacheRead = 0, cacheWrite } of Object.values(models)) {
    expect([cacheRead, input, cacheWrite, output]).toEqual(
      [cacheRead, input, cacheWrite, output].toSorted((a, b) => a - b),
    );
  }
});

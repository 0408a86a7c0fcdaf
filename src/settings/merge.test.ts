import { describe, expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import type { SettingsLayer, Values } from "./layer.ts";
import { mergeSettings } from "./merge.ts";
import { originOf } from "./provenance.ts";
import { scopes, type Scope } from "./scopes.ts";

const layer = (scope: Scope, values: Values, file = `${scope}.json`): SettingsLayer => ({
  scope,
  file,
  values,
});
const merge = (...layers: SettingsLayer[]): Values => mergeSettings(layers).values;

describe("mergeSettings", () => {
  const pairs = scopes.flatMap((higher, at) =>
    scopes.slice(at + 1).map((lower) => ({ higher, lower })),
  );

  test.each(pairs)("$higher wins over $lower, in whatever order they come", ({ higher, lower }) => {
    const layers = [layer(lower, { model: "low" }), layer(higher, { model: "high" })];
    for (const order of [layers, layers.toReversed()]) {
      const { values, provenance } = mergeSettings(order);
      expect(values).toEqual({ model: "high" });
      expect(originOf(provenance, ["model"])?.scope).toBe(higher);
    }
  });

  test("within a scope the layer that comes first wins", () => {
    const layers = [layer("managed", { a: 1 }, "20.json"), layer("managed", { a: 2 }, "10.json")];
    expect(merge(...layers)).toEqual({ a: 1 });
  });

  test("objects merge by key, at every level", () => {
    const high = layer("local", { a: { b: { c: 1 } } });
    const low = layer("user", { a: { b: { c: 2, d: 3 }, e: 4 } });
    expect(merge(high, low)).toEqual({ a: { b: { c: 1, d: 3 }, e: 4 } });
  });

  test("lists are joined, highest first, and equal items stand once", () => {
    const high = layer("project", { list: ["a", { x: 1, y: [2] }] });
    const low = layer("user", { list: [{ y: [2], x: 1 }, "b", "a", 1, "1"] });
    expect(merge(low, high)).toEqual({ list: ["a", { x: 1, y: [2] }, "b", 1, "1"] });
  });

  test("the highest decides what kind a value is; lists of lower ones are not lost in between", () => {
    const layers = [
      layer("local", { permissions: { deny: ["a"] } }),
      layer("project", { permissions: "none" }),
      layer("user", { permissions: { deny: ["b"] } }),
    ];
    expect(merge(...layers)).toEqual({ permissions: { deny: ["a", "b"] } });
  });

  test("fallbackModel is the whole value of the top file that has it", () => {
    const layers = [
      layer("user", { fallbackModel: ["c"] }),
      layer("project", { fallbackModel: ["a", "b"] }),
      layer("local", {}),
    ];
    expect(merge(...layers)).toEqual({ fallbackModel: ["a", "b"] });
  });

  test("availableModels of a policy stands as it is; without one they are joined", () => {
    const [managed, project, user] = [
      layer("managed", { availableModels: ["a"] }),
      layer("project", { availableModels: ["b"] }),
      layer("user", { availableModels: ["c"] }),
    ];
    expect(merge(user, project, managed)).toEqual({ availableModels: ["a"] });
    expect(merge(user, project)).toEqual({ availableModels: ["b", "c"] });
  });

  test("tells who decided each value, and who brought each item", () => {
    const { provenance } = mergeSettings([
      layer("local", { permissions: { deny: ["a"] }, env: { A: "1" } }),
      layer("user", { permissions: { deny: ["a", "b"], allow: ["c"] }, env: { A: "2", B: "3" } }),
    ]);
    const fileOf = (...path: (string | number)[]): string | undefined =>
      originOf(provenance, path)?.file;
    expect(fileOf("permissions", "deny", 0)).toBe("local.json");
    expect(fileOf("permissions", "deny", 1)).toBe("user.json");
    expect(fileOf("permissions", "allow")).toBe("user.json");
    expect(fileOf("env", "A")).toBe("local.json");
    expect(fileOf("env", "B")).toBe("user.json");
    expect(fileOf("env", "C")).toBeUndefined();
    expect(fileOf("permissions", "deny", 2)).toBeUndefined();
    expect(fileOf("env")).toBe("local.json");
  });

  test("keys that reach into prototypes are ignored and reported, at every level", () => {
    const values = JSON.parse(
      '{"__proto__": {"polluted": 1}, "a": {"constructor": {"prototype": {"polluted": 1}}, "b": [{"__proto__": 1, "c": 2}]}}',
    ) as Values;
    const merged = mergeSettings([layer("user", values), layer("local", { a: { d: 3 } })]);
    expect(merged.values).toEqual({ a: { d: 3, b: [{ c: 2 }] } });
    expect(merged.diagnostics.map(({ field }) => field)).toEqual([
      "__proto__",
      "a.constructor",
      "a.b.0.__proto__",
    ]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(Object.getPrototypeOf(merged.values)).toBeNull();
    expect(Object.getPrototypeOf(merged.values["a"])).toBeNull();
    expect("toString" in merged.values).toBe(false);
  });

  test("what is nested deeper than 64 levels is refused, and the rest counts", () => {
    const nested = (levels: number): Values =>
      JSON.parse(
        `{"deep": ${'{"a":'.repeat(levels - 1)}1${"}".repeat(levels - 1)}, "model": "opus"}`,
      ) as Values;
    expect(mergeSettings([layer("user", nested(64))]).diagnostics).toEqual([]);
    for (const levels of [65, 100_000]) {
      const { values, diagnostics } = mergeSettings([layer("user", nested(levels))]);
      expect(values).toEqual({ model: "opus" });
      expect(diagnostics).toMatchObject([{ severity: "error", field: "deep", file: "user.json" }]);
    }
  });

  test("a list of half a million items is merged; comparing each with each would not end", () => {
    const items = Array.from({ length: 500_000 }, (_, at) => `Bash(${at})`);
    const { values } = mergeSettings([
      layer("project", { list: items }),
      layer("user", { list: items }),
    ]);
    expect(values["list"]).toHaveLength(500_000);
  });

  const scalars = fc.dictionary(
    fc.constantFrom("a", "b", "c", "d"),
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
  );

  test("for scalars it does not matter which neighbours are merged first", () => {
    fc.assert(
      fc.property(scalars, scalars, scalars, (high, middle, low) => {
        const [a, b, c] = [layer("local", high), layer("project", middle), layer("user", low)];
        const all = merge(a, b, c);
        expect(merge(layer("local", merge(a, b)), c)).toEqual(all);
        expect(merge(a, layer("project", merge(b, c)))).toEqual(all);
      }),
    );
  });

  test("a lower scope never changes a scalar that a higher one sets", () => {
    const ranked = fc.subarray([...scopes], { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(ranked, scalars, fc.dictionary(fc.string(), fc.jsonValue()), (two, high, low) => {
        const [higher = "managed", lower = "user"] = two;
        expect(merge(layer(lower, low), layer(higher, high))).toMatchObject(high);
      }),
    );
  });
});

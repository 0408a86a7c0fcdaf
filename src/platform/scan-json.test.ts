import { describe, expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { scanJson } from "./scan-json.ts";

describe("scanJson", () => {
  test.each([
    ['{"a": 1,}', 8, /key in double quotes/],
    ['{,"a": 1}', 1, /key in double quotes/],
    ["[,1]", 1, /value or ']'/],
    ['{"a" 1}', 5, /':'/],
    ["[1 2]", 3, /',' or ']'/],
    ['{"a": }', 6, /value/],
    ['{"a": tru}', 6, /value/],
    ['{"a": 1} x', 9, /nothing more/],
    ['{"a": "b', 8, /not closed/],
    ['{"a": "\\q"}', 7, /not escaped/],
    ['{"a": 1', 7, /ends too early/],
    ["{// no\n}", 1, /no comments/],
    ["", 0, /ends too early/],
  ])("%j is wrong at %i", (text, offset, reason) => {
    expect(scanJson(text).error?.offset).toBe(offset);
    expect(scanJson(text).error?.reason).toMatch(reason);
  });

  test("knows where keys and items stand", () => {
    const text = '{"a": {"b": [10, {"c": 2}]}, "d": null}';
    const { offsets } = scanJson(text);
    const at = (...path: (string | number)[]): string | undefined => {
      const offset = offsets.get(JSON.stringify(path));
      return offset === undefined ? undefined : text.slice(offset, offset + 3);
    };
    expect(at("a")).toBe('"a"');
    expect(at("a", "b")).toBe('"b"');
    expect(at("a", "b", 0)).toBe("10,");
    expect(at("a", "b", 1)).toBe('{"c');
    expect(at("d")).toBe('"d"');
  });

  test("finds an error exactly where JSON.parse finds one", () => {
    const edits = fc.tuple(fc.nat(), fc.constantFrom("", ",", "}", "]", '"', "\\", "0", "-", "/"));
    fc.assert(
      fc.property(fc.json(), fc.array(edits, { maxLength: 2 }), (json, changes) => {
        let text = json;
        for (const [place, put] of changes) {
          const at = place % (text.length + 1);
          text = text.slice(0, at) + put + text.slice(at + (put === "" ? 1 : 0));
        }
        expect(scanJson(text).error === undefined).toBe(parses(text));
      }),
      { numRuns: 5000 },
    );
  });

  test("nesting of any depth does not exhaust the stack", () => {
    expect(scanJson("[".repeat(500_000)).error?.offset).toBe(500_000);
    expect(scanJson("[".repeat(500_000) + "]".repeat(500_000)).error).toBeUndefined();
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

import { describe, expect, test } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { plain } from "./sanitize.ts";
import { compose, displayWidth, fill, fit, wrap } from "./width.ts";

const text = fc
  .string({
    unit: fc.constantFrom("a", " ", "日", "é", "e\u0301", "👍🏽", "👩‍👩‍👧", "🇩🇪", "ᄀ", "\u200d", "ﷺ"),
  })
  .map((value) => plain(value, { oneLine: true }));
const anyText = fc.oneof(
  text,
  fc.string({ unit: "binary" }).map((value) => plain(value, { oneLine: true })),
);
const anyWidth = fc.integer({ min: 0, max: 40 });

describe("displayWidth", () => {
  test.each([
    ["retinue", 7],
    ["日本語", 6],
    ["한국어", 6],
    ["ｆｕｌｌ", 8],
    ["e\u0301", 1],
    ["👍", 2],
    ["👍🏽", 2],
    ["👩‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["❤\ufe0f", 2],
    ["✻ ◌ ✓ ✗ ■ … ▸ └", 15],
    ["a\u200bb", 2],
  ])("%s takes %i columns", (value, width) => {
    expect(displayWidth(value)).toBe(width);
  });
});

describe("fit", () => {
  test("leaves a text alone that fits exactly", () => {
    expect(fit("retinue", 7)).toBe("retinue");
    expect(fit("日本", 4)).toBe("日本");
  });

  test("cuts with an ellipsis and never through a wide character", () => {
    expect(fit("retinue", 5)).toBe("reti…");
    expect(fit("日本語", 4)).toBe("日…");
    expect(fit("👩‍👩‍👧👩‍👩‍👧", 3)).toBe("👩‍👩‍👧…");
    expect(fit("anything", 0)).toBe("");
  });

  test("is never wider than asked, and is the text itself whenever that fits", () => {
    fc.assert(
      fc.property(anyText, anyWidth, (value, width) => {
        const fitted = fit(value, width);
        expect(displayWidth(fitted)).toBeLessThanOrEqual(width);
        if (displayWidth(value) <= width && width > 0) expect(fitted).toBe(value);
      }),
    );
  });
});

test("fill is exactly as wide as asked", () => {
  expect(fill("ab", 4, "right")).toBe("  ab");
  fc.assert(
    fc.property(text, anyWidth, (value, width) => {
      expect(displayWidth(fill(value, width))).toBe(width);
    }),
  );
});

test("wrap loses nothing and no piece is too wide", () => {
  // A run of initial jamo is one character of any width, which only an ellipsis can stand for.
  const breakable = text.filter((value) => !value.includes("ᄀ"));
  expect(wrap("日", 1)).toEqual(["…"]);
  fc.assert(
    fc.property(breakable, fc.integer({ min: 2, max: 20 }), (value, width) => {
      const pieces = wrap(value, width);
      expect(pieces.join("")).toBe(value);
      for (const piece of pieces) expect(displayWidth(piece)).toBeLessThanOrEqual(width);
    }),
  );
});

test("compose never gives a line wider than asked, whatever the cells ask for", () => {
  const cell = fc.record({ text, width: fc.integer({ min: 0, max: 100 }) });
  fc.assert(
    fc.property(fc.array(cell), anyWidth, (cells, width) => {
      const line = compose(cells, width);
      expect(line.width).toBeLessThanOrEqual(width);
      expect(displayWidth(line.text)).toBe(line.width);
    }),
  );
});

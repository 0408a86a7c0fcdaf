import { expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { slug } from "./memory.ts";

test("a name becomes one part of a path, whatever it is, and plain ones stay as they are", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 400 }), (name) => {
      expect(slug(name)).toMatch(/^[a-z0-9-]{1,81}$/);
    }),
  );
  expect(slug("code-reviewer")).toBe("code-reviewer");
  expect(slug("a".repeat(64))).toBe("a".repeat(64));
});

test("names that look alike as paths get different directories", () => {
  const names = [
    "../../x",
    "..-..-x",
    "X",
    "x",
    "x/",
    "x ",
    "コード",
    "コーヒ",
    "a".repeat(65),
    "a".repeat(300),
    // The directory of "X", as a name.
    slug("X"),
    slug("コード"),
  ];
  expect(new Set(names.map(slug)).size).toBe(names.length);
});

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { absolutePath } from "./absolute-path.ts";

test("~ is the home directory, a relative path begins at the working directory", () => {
  expect(absolutePath("~/a/../b", "/w")).toBe(join(homedir(), "b"));
  expect(absolutePath("~", "/w")).toBe(homedir());
  expect(absolutePath("a//b/.", "/w")).toBe("/w/a/b");
  expect(absolutePath("~a", "/w")).toBe("/w/~a");
});

test("an absolute path is as Node's resolve has it, tidy or not", () => {
  const part = fc.constantFrom("a", ".", "..", "", ".a", "..a", "a.", "...", "a b", "/", "é");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const path = `/${parts.join("/")}`;
      expect(absolutePath(path, "/w")).toBe(resolve("/w", path));
    }),
    { numRuns: 2000 },
  );
});

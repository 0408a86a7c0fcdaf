import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { absolutePath } from "./absolute-path.ts";

test("~ is the home directory, a relative path begins at the working directory", () => {
  expect(absolutePath("~/a/../b", "/w")).toBe(join(homedir(), "b"));
  expect(absolutePath("~", "/w")).toBe(homedir());
  expect(absolutePath("a//b/.", "/w")).toBe("/w/a/b");
  expect(absolutePath("~a", "/w")).toBe("/w/~a");
  expect(absolutePath("/a/./b/../c//", "/w")).toBe("/a/c");
});

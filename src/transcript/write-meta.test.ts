import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentMeta } from "./meta.ts";
import { writeMeta } from "./write-meta.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

const meta = { agentType: "t", description: "d", retinue: { state: "running" } } as AgentMeta;

test("what a killed process with our id left behind is in nobody's way", () => {
  const path = join(temporaryDirectory(), "agent-a1.meta.json");
  const left = `${path}.${process.pid}.new`;
  writeFileSync(left, "half of it");
  writeMeta(path, meta, 0);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(meta);
  expect(existsSync(left)).toBe(false);
});

test("a link in the place of the new file is not written through", () => {
  const place = temporaryDirectory();
  const path = join(place, "agent-a1.meta.json");
  const elsewhere = join(place, "elsewhere");
  writeFileSync(elsewhere, "untouched");
  symlinkSync(elsewhere, `${path}.${process.pid}.new`);
  writeMeta(path, meta, 0);
  expect(readFileSync(elsewhere, "utf8")).toBe("untouched");
  expect(lstatSync(path).isSymbolicLink()).toBe(false);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(meta);
});

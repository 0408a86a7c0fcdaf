import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AgentMeta } from "./meta.ts";
import { writeMeta } from "./write-meta.ts";

const meta = { agentType: "t", description: "d", retinue: { state: "running" } } as AgentMeta;

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "retinue-write-meta-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("what a killed process with our id left behind is in nobody's way", () => {
  const path = join(directory(), "agent-a1.meta.json");
  const left = `${path}.${process.pid}.new`;
  writeFileSync(left, "half of it");
  writeMeta(path, meta, 0);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(meta);
  expect(existsSync(left)).toBe(false);
});

test("a link in the place of the new file is not written through", () => {
  const place = directory();
  const path = join(place, "agent-a1.meta.json");
  const elsewhere = join(place, "elsewhere");
  writeFileSync(elsewhere, "untouched");
  symlinkSync(elsewhere, `${path}.${process.pid}.new`);
  writeMeta(path, meta, 0);
  expect(readFileSync(elsewhere, "utf8")).toBe("untouched");
  expect(lstatSync(path).isSymbolicLink()).toBe(false);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(meta);
});

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shop } from "./support/repository.ts";
import { temporaryDirectory, writeFiles } from "./support/stage.ts";
import { bin } from "./support/bin.ts";

interface Place {
  home: string;
  tmp: string;
  cwd: string;
}

function place(): Place {
  const root = temporaryDirectory();
  const [home, tmp, cwd] = ["home", "tmp", "work"].map((name) => join(root, name));
  for (const directory of [home, tmp, cwd]) mkdirSync(directory ?? "");
  return { home: home ?? "", tmp: tmp ?? "", cwd: cwd ?? "" };
}

function settings({ home, tmp, cwd }: Place, HOME = home): number | null {
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...outside } = process.env;
  const env = { ...outside, HOME, TMPDIR: tmp, CLAUDE_CONFIG_DIR: join(home, "config") };
  return spawnSync(process.execPath, [bin, "settings"], { cwd, env }).status;
}

test("compiled code is kept in the user's own cache directory, and not in the one for temporary files", () => {
  const here = place();
  expect(settings(here)).toBe(0);
  expect(
    readdirSync(join(here.home, ".cache/retinue"), { recursive: true }).length,
  ).toBeGreaterThan(1);
  expect(readdirSync(here.tmp)).toEqual([]);
});

test("where no compiled code can be kept, commands work all the same", () => {
  const here = place();
  writeFiles(here.home, { ".cache": "a file where a directory should be" });
  expect(settings(here)).toBe(0);
  expect(settings(here, "")).toBe(0);
});

test("a home directory that depends on where the command is called gives no compiled code", () => {
  const here = place();
  expect(settings(here, ".")).toBe(0);
  expect(existsSync(join(here.cwd, ".cache"))).toBe(false);
});

test("a package that is loaded beside the bundle, as ripgrep is, makes Node say nothing", () => {
  const { stdout, stderr } = shop({}, { "settings.json": "{}" }).retinue("doctor");
  expect(stdout).toContain("✓ ripgrep");
  expect(stderr).not.toContain("Warning");
});

import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shop, type Shop } from "./support/repository.ts";

const ok = { code: 0 };
const withSettings = (): Shop => shop({}, { "settings.json": "{}" });

function cacheOf({ config }: Shop): string {
  return join(config, "retinue/code-cache");
}

function fileIn(place: Shop): string {
  const [name = "", ...others] = readdirSync(cacheOf(place));
  expect(others).toEqual([]);
  return join(cacheOf(place), name);
}

const version = (file: string): object => {
  const { ino, mtimeMs } = statSync(file);
  return { ino, mtimeMs };
};

test("compiled functions are kept for the user alone, and a run that compiles no others leaves them as they are", () => {
  const place = withSettings();
  expect(place.retinue("ps")).toMatchObject(ok);
  const file = fileIn(place);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(cacheOf(place)).mode & 0o777).toBe(0o700);
  const before = version(file);
  expect(place.retinue("ps")).toMatchObject(ok);
  expect(version(file)).toEqual(before);
});

test("a run that compiles more adds it to what there is", () => {
  const place = withSettings();
  expect(place.retinue("--help")).toMatchObject(ok);
  const file = fileIn(place);
  const little = statSync(file).size;
  expect(place.retinue("lint")).toMatchObject(ok);
  const [more, both] = [statSync(file).size, version(file)];
  expect(more).toBeGreaterThan(little);
  expect(place.retinue("--help")).toMatchObject(ok);
  expect(version(file)).toEqual(both);
});

test("compiled functions that are damaged or cut off are not used, but replaced", () => {
  const place = withSettings();
  const told = place.retinue("settings");
  expect(told).toMatchObject(ok);
  const file = fileIn(place);
  const whole = readFileSync(file);
  const flipped = Buffer.from(whole);
  for (let at = 100; at < flipped.length; at += 500) flipped[at] = ~(flipped[at] ?? 0);
  for (const damaged of [flipped, whole.subarray(0, 5000), Buffer.alloc(0)]) {
    writeFileSync(file, damaged);
    expect(place.retinue("settings")).toEqual(told);
    expect(readFileSync(file).length).toBeGreaterThan(whole.length / 2);
    expect(readFileSync(file)).not.toEqual(damaged);
  }
});

test("where nothing can be kept, commands work all the same", () => {
  const place = shop({}, { retinue: "a file where a directory should be" });
  expect(place.retinue("settings")).toMatchObject(ok);
});

test("what an old version compiled goes after a month", () => {
  const place = withSettings();
  const [old, young] = [join(cacheOf(place), "old"), join(cacheOf(place), "young")];
  for (const directory of [old, young]) mkdirSync(directory, { recursive: true });
  const longAgo = Date.now() / 1000 - 40 * 24 * 60 * 60;
  utimesSync(old, longAgo, longAgo);
  expect(place.retinue("settings")).toMatchObject(ok);
  const left = readdirSync(cacheOf(place));
  expect(left).toContain("young");
  expect(left).not.toContain("old");
  expect(left).toHaveLength(2);
});

test("a package that is loaded beside the script, as ripgrep is, makes Node say nothing", () => {
  const { stdout, stderr } = withSettings().retinue("doctor");
  expect(stdout).toContain("✓ ripgrep");
  expect(stderr).not.toContain("Warning");
});

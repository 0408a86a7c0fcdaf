import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { bin } from "./support/command-shop.ts";
import { shop, type Shop } from "./support/repository.ts";
import { writeFiles } from "./support/stage.ts";

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

test("where nothing can be kept, commands work all the same, also when they take longer", () => {
  const file = shop({}, { retinue: "a file where a directory should be" });
  expect(file.retinue("settings")).toMatchObject(ok);
  const knot = shop(
    {
      "s.yaml":
        "turns: [{ turn: 1, reply: [{ call: Bash, input: { command: sleep 2.5 } }] }, { turn: 2, reply: woke }]",
    },
    { "settings.json": "{}" },
  );
  mkdirSync(join(knot.config, "retinue"));
  symlinkSync("code-cache", cacheOf(knot));
  expect(knot.retinue("settings")).toEqual(file.retinue("settings"));
  const run = ["run", "--quiet", "--allowedTools", "Bash", "--rehearse", "s.yaml", "x"];
  expect(knot.retinue(...run)).toMatchObject({ ...ok, stdout: "woke\n" });
});

test("compiled functions are neither taken from a directory that is a link, nor kept where it leads", () => {
  const place = withSettings();
  expect(place.retinue("settings")).toMatchObject(ok);
  const file = fileIn(place);
  const elsewhere = join(place.cwd, "elsewhere");
  renameSync(cacheOf(place), elsewhere);
  symlinkSync(elsewhere, cacheOf(place));
  const before = version(join(elsewhere, basename(file)));
  expect(place.retinue("lint")).toMatchObject(ok);
  expect(version(join(elsewhere, basename(file)))).toEqual(before);
  expect(readdirSync(elsewhere)).toEqual([basename(file)]);
});

test("a directory of settings that depends on where the command is called keeps nothing", () => {
  const { cwd } = withSettings();
  writeFiles(cwd, { "relative/settings.json": "{}" });
  const ran = spawnSync(process.execPath, [bin, "settings"], {
    cwd,
    env: { ...process.env, CLAUDE_CONFIG_DIR: "relative" },
  });
  expect(ran.status).toBe(0);
  expect(readdirSync(join(cwd, "relative"))).toEqual(["settings.json"]);
});

test("what an old version compiled goes after a month, and nothing else", () => {
  const place = withSettings();
  const old = "0123456789abcdef-v24.0.0-x64";
  writeFiles(cacheOf(place), { [old]: "", young: "", notes: "" });
  renameSync(join(cacheOf(place), "young"), join(cacheOf(place), old.replace("0", "1")));
  const longAgo = Date.now() / 1000 - 40 * 24 * 60 * 60;
  for (const name of [old, "notes"]) utimesSync(join(cacheOf(place), name), longAgo, longAgo);
  expect(place.retinue("settings")).toMatchObject(ok);
  const left = readdirSync(cacheOf(place));
  expect(left).toHaveLength(3);
  expect(left).toEqual(expect.arrayContaining([old.replace("0", "1"), "notes"]));
});

test("a package that is loaded beside the script, as ripgrep is, makes Node say nothing", () => {
  const { stdout, stderr } = withSettings().retinue("doctor");
  expect(stdout).toContain("✓ ripgrep");
  expect(stderr).not.toContain("Warning");
});

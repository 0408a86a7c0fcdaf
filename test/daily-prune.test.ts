import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ManagerOptions } from "../src/index.ts";
import { projectSlug } from "../src/transcript/paths.ts";
import { addSession, configDirectory, day } from "../src/transcript/session-fixture.ts";
import { setStage, temporaryDirectory, writeFiles } from "./support/stage.ts";
import { until } from "./support/until.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";
import { someTurns } from "./support/turns.ts";

interface Line {
  level: "info" | "warn";
  message: string;
}

function loggerOf(lines: Line[]): NonNullable<ManagerOptions["logger"]> {
  return {
    info: (_, message) => lines.push({ level: "info", message }),
    warn: (_, message) => lines.push({ level: "warn", message }),
    child: () => loggerOf([]),
  };
}

const said = (lines: Line[]): string[] => lines.map(({ message }) => message);

async function answerOnce(
  configDir: string,
  options: Partial<ManagerOptions> = {},
): Promise<{ lines: Line[]; close: () => Promise<void> }> {
  const lines: Line[] = [];
  const clock = new TestClock(Date.now());
  const stage = setStage("turns: [{ reply: ok, repeat: true }]", {
    configDir,
    logger: loggerOf(lines),
    clock,
    ...options,
  });
  const { id } = await stage.manager.main({ prompt: "hi" });
  await stage.manager.output(id, { block: true });
  // The only timer that is left: it lets a run of a few seconds go by.
  await until(() => clock.timers.length === 1);
  clock.advance(3000);
  await someTurns();
  return { lines, close: () => stage.manager.close() };
}

test("old sessions go after a model has answered, once a day", async () => {
  const config = configDirectory();
  const old = addSession(config, "old", { days: 31 });
  const young = addSession(config, "young", { days: 29 });
  const { lines } = await answerOnce(config);
  await until(() => expect(said(lines)).toContain("old sessions were removed"));
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  const stamp = join(config, "retinue/last-prune");
  expect(Date.now() - Number(readFileSync(stamp, "utf8"))).toBeLessThan(day);

  // It is stamped before anything is looked at, so an untouched stamp means that nothing was.
  const later = addSession(config, "later", { days: 31 });
  const anHourAgo = String(Date.now() - 3_600_000);
  writeFileSync(stamp, anHourAgo);
  const { close } = await answerOnce(config);
  await close();
  expect(readFileSync(stamp, "utf8")).toBe(anHourAgo);
  expect(existsSync(later)).toBe(true);

  writeFileSync(stamp, String(Date.now() - day - 1000));
  const { lines: again } = await answerOnce(config);
  await until(() => expect(said(again)).toContain("old sessions were removed"));
  expect(existsSync(later)).toBe(false);
});

test("nothing is looked at before a model has answered", async () => {
  const config = configDirectory();
  const old = addSession(config, "old", { days: 31 });
  const { manager } = setStage("turns: [{ reply: ok }]", { configDir: config });
  await manager.spawn({ subagent_type: "Explore", description: "stands" });
  await manager.close();
  expect(existsSync(old)).toBe(true);
  expect(existsSync(join(config, "retinue/last-prune"))).toBe(false);
});

test("a period that does not fit pauses it with a warning: its owner wants another than the default", async () => {
  const config = configDirectory();
  const old = addSession(config, "old", { days: 400 });
  writeFiles(config, { "settings.json": '{ "cleanupPeriodDays": 0 }' });
  const { lines } = await answerOnce(config);
  await until(() =>
    expect(said(lines)).toContainEqual(expect.stringMatching(/^Old sessions are kept, because/)),
  );
  expect(existsSync(old)).toBe(true);
});

test("the user's period holds everywhere, that of a trusted project for its own sessions only", async () => {
  const config = configDirectory();
  const cwd = temporaryDirectory();
  const settings = JSON.stringify({ cleanupPeriodDays: 3 });
  writeFiles(cwd, { ".claude/settings.json": settings });
  writeFiles(config, { "settings.json": JSON.stringify({ cleanupPeriodDays: 20 }) });
  const { trustFolder } = await import("../src/settings/trust.ts");
  await trustFolder(cwd, config);
  mkdirSync(join(config, "projects", projectSlug(cwd)));
  const own = addSession(config, "own", { days: 5, project: projectSlug(cwd) });
  const other = addSession(config, "other", { days: 5 });
  const older = addSession(config, "older", { days: 25 });
  const { lines } = await answerOnce(config, { cwd });
  await until(() => expect(said(lines)).toContain("old sessions were removed"));
  expect([own, other, older].map((path) => existsSync(path))).toEqual([false, true, false]);
});

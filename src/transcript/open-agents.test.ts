import { statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findLeftAgents, findOpenAgents, OpenAgents } from "./open-agents.ts";
import { addSession, alive, configDirectory, metaText, writeOld } from "./session-fixture.ts";

const stateOf = async (agents: OpenAgents): Promise<string[]> =>
  (await agents.look()).map(({ record }) => `${record.id} ${record.state}`);

/** Puts another text into a file, as long as the old one, and leaves the time of its last change as it was. */
function rewriteUnseen(file: string, text: string): void {
  const { size, mtime } = statSync(file);
  writeFileSync(file, text.padEnd(size), { flag: "r+" });
  utimesSync(file, mtime, mtime);
}

function changeTime(file: string): void {
  const then = (Date.now() - 10_000) / 1000;
  utimesSync(file, then, then);
}

test("agents that have ended are not among the open ones, wherever their sessions are", async () => {
  const config = configDirectory();
  addSession(config, "ended", { days: 1 });
  addSession(config, "gone", { days: 1, main: { state: "running" } });
  addSession(config, "runs", { days: 1, project: "q", main: { state: "waiting", ...alive } });
  const found = await findOpenAgents(config);
  expect(found.map(({ record }) => `${record.id} ${record.state}`).toSorted()).toEqual([
    "main-gone interrupted",
    "main-runs waiting",
  ]);
});

test("an agent with the mark of its end is not read, and one without it is", async () => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 1 });
  writeOld(
    join(directory, "subagents/agent-a1.meta.json"),
    metaText("s", "a1", { state: "running" }),
    1,
  );
  const found = async (): Promise<string[]> => {
    const [open, left] = [await findOpenAgents(config), await findLeftAgents(config)];
    return [...open, ...left].map(({ record }) => `${record.id} ${record.state}`);
  };
  expect(await found()).toEqual(["a1 interrupted", "a1 interrupted"]);
  writeOld(join(directory, "ended/a1"), "", 1);
  expect(await found()).toEqual([]);
});

test("an ended agent's file is read again only when it has changed", async () => {
  const config = configDirectory();
  const file = join(addSession(config, "s", { days: 1 }), "main.meta.json");
  writeFileSync(file, metaText("s", "main-s", { name: "long enough" }));
  changeTime(file);
  const agents = new OpenAgents(config);
  expect(await stateOf(agents)).toEqual([]);
  rewriteUnseen(file, metaText("s", "main-s", { state: "running", ...alive }));
  expect(await stateOf(agents)).toEqual([]);
  expect(await stateOf(new OpenAgents(config))).toEqual(["main-s running"]);
  utimesSync(file, new Date(), new Date());
  expect(await stateOf(agents)).toEqual(["main-s running"]);
});

test("the transcript of an interrupted agent is read again only when it has changed", async () => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 1, main: { state: "running" } });
  const transcript = `${directory}.jsonl`;
  const at = "2026-01-01T00:00:00.000Z";
  const end = { type: "retinue-end", timestamp: at, result: { state: "completed" } };
  writeFileSync(transcript, `${" ".repeat(2000)}\n`);
  changeTime(transcript);
  const agents = new OpenAgents(config);
  expect(await stateOf(agents)).toEqual(["main-s interrupted"]);
  rewriteUnseen(transcript, `${JSON.stringify(end)}\n`);
  expect(await stateOf(agents)).toEqual(["main-s interrupted"]);
  utimesSync(transcript, new Date(), new Date());
  expect(await stateOf(agents)).toEqual(["main-s completed"]);
});

test("a file that was just written is read again: its next version may have the same time", async () => {
  const config = configDirectory();
  const file = join(addSession(config, "s", { days: 0 }), "main.meta.json");
  writeFileSync(file, metaText("s", "main-s", { name: "long enough" }));
  const agents = new OpenAgents(config);
  expect(await stateOf(agents)).toEqual([]);
  rewriteUnseen(file, metaText("s", "main-s", { state: "running", ...alive }));
  expect(await stateOf(agents)).toEqual(["main-s running"]);
});

test("an open agent whose process is gone is interrupted at the next look, though no file has changed", async () => {
  const config = configDirectory();
  const directory = addSession(config, "s", { days: 1, main: { state: "running", ...alive } });
  const agents = new OpenAgents(config);
  expect(await stateOf(agents)).toEqual(["main-s running"]);
  const lease = JSON.stringify({
    ...{ pid: 1, pidStart: "gone", host: "h", bootId: null, pidNamespace: null },
    ...{ token: "t", socket: null, beatAt: Date.now() },
  });
  writeFileSync(join(directory, "lease.json"), lease);
  expect(await stateOf(agents)).toEqual(["main-s interrupted"]);
});

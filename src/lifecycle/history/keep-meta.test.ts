import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AgentId, SessionId } from "../../contract/ids.ts";
import { introduce } from "../../events/agent-record.ts";
import type { AgentEvent, AgentEventBody } from "../../events/event.ts";
import { agentSummary, figures } from "../../events/events-fixture.ts";
import { DiskSync } from "../../transcript/disk-sync.ts";
import { readMeta } from "../../transcript/meta.ts";
import { MetaKeeper } from "./keep-meta.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

const header = { agentId: "a1" as AgentId, sessionId: "s" as SessionId, at: 1 };
const event = (body: AgentEventBody): AgentEvent => ({ ...header, ...body });
const started = event({ type: "agent-start", agent: agentSummary() });
const moved = event({ type: "agent-background" });
const ended = event({
  type: "agent-end",
  result: { ...figures(), state: "completed", content: "" },
});

interface Kept {
  path: string;
  meta: MetaKeeper;
  endMark: string;
  /** Paths that were synced, in their order. */
  synced: string[];
}

/** A keeper whose file is synced as the function says. */
function keeper(datasync: () => Promise<void>): Kept {
  const synced: string[] = [];
  const root = temporaryDirectory();
  const path = join(root, "agent-a1.meta.json");
  const disk = new DiskSync(async (path) => ({
    datasync: () => {
      synced.push(path);
      return datasync();
    },
    sync: async () => void synced.push(path),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));
  const record = introduce(header, agentSummary());
  const endMark = join(root, "ended/a1");
  const meta = new MetaKeeper(path, { record, length: 0, disk, endMark });
  return { path, meta, endMark, synced };
}

test("changes that come while the disk is busy are written in their order, and none is lost", async () => {
  const { path, meta } = keeper(async () => {
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  });
  const first = meta.apply(started);
  await setImmediate();
  await setImmediate();
  await Promise.all([first, meta.apply(moved), meta.apply(ended)]);
  expect((await readMeta(path)).retinue).toMatchObject({ state: "completed", background: true });
  expect(meta.tellsEnd).toBe(true);
  expect(readdirSync(join(path, ".."))).toEqual(["agent-a1.meta.json", "ended"]);
});

test("a record whose sync fails is told to those who wait, and is there for other readers", async () => {
  let isBroken = false;
  const { path, meta } = keeper(async () => {
    if (isBroken) throw new Error("EIO: it failed");
  });
  await meta.apply(started);
  const before = readFileSync(path, "utf8");
  isBroken = true;
  await expect(meta.apply(ended)).rejects.toThrow("EIO");
  expect(readFileSync(path, "utf8")).not.toBe(before);
  expect((await readMeta(path)).retinue.state).toBe("completed");
});

test("an agent is marked while its file holds its end, and the mark is off the disk before the file says that it runs", async () => {
  const { path, meta, endMark, synced } = keeper(() => Promise.resolve());
  await meta.apply(started);
  expect(existsSync(endMark)).toBe(false);
  await meta.apply(ended);
  expect(existsSync(endMark)).toBe(true);
  meta.begin(introduce(header, agentSummary()));
  expect(existsSync(endMark)).toBe(true);
  synced.length = 0;
  const again = meta.apply(started);
  expect(existsSync(endMark)).toBe(false);
  expect((await readMeta(path)).retinue.state).toBe("completed");
  await again;
  expect((await readMeta(path)).retinue.state).toBe("running");
  const marks = synced.indexOf(dirname(endMark));
  expect(marks).not.toBe(-1);
  expect(marks).toBeLessThan(synced.indexOf(`${path}.new`));
});

test("a mark that an earlier process left goes, and an end without room for a mark is an end", async () => {
  const { path, meta, endMark } = keeper(() => Promise.resolve());
  await meta.apply(started);
  const length = readFileSync(path).length;
  mkdirSync(dirname(endMark));
  writeFileSync(endMark, "");
  const record = introduce(header, agentSummary());
  const resumed = new MetaKeeper(path, { record, length, disk: undefined, endMark });
  resumed.begin(record);
  await resumed.apply(started);
  expect(existsSync(endMark)).toBe(false);
  rmdirSync(dirname(endMark));
  writeFileSync(dirname(endMark), "in the way");
  await resumed.apply(ended);
  expect(resumed.tellsEnd).toBe(true);
  expect((await readMeta(path)).retinue.state).toBe("completed");
});

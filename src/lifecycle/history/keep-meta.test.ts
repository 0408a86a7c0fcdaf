import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

/** A keeper whose file is synced as the function says. */
function keeper(datasync: () => Promise<void>): { path: string; meta: MetaKeeper } {
  const root = temporaryDirectory();
  const path = join(root, "agent-a1.meta.json");
  const disk = new DiskSync(async () => ({
    datasync,
    sync: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));
  const record = introduce(header, agentSummary());
  return { path, meta: new MetaKeeper(path, { record, length: 0, disk }) };
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
  expect(readdirSync(join(path, ".."))).toEqual(["agent-a1.meta.json"]);
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

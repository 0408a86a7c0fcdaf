import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { advance, introduce, totalOf, type AgentRecord } from "../../events/agent-record.ts";
import type { AgentId, SessionId } from "../../contract/ids.ts";
import { agentSummary, figures } from "../../events/events-fixture.ts";
import { temporaryDirectory } from "../../../test/support/stage.ts";
import { metaOf } from "../../transcript/meta.ts";
import { sessionPaths, type SessionPaths } from "../../transcript/paths.ts";
import { EndedRecords } from "./ended-records.ts";
import type { Totals } from "../totals.ts";

const sessionId = "s" as SessionId;

test("the newest 10,000 are in memory, and an older one is read from its file", () => {
  const paths = sessionPaths(temporaryDirectory(), sessionId);
  const ended = new EndedRecords({ paths, isReopened: false });
  const records = Array.from({ length: 10_001 }, (_, at) => endedRecord(at));
  for (const record of records) ended.add(record);
  const [oldest, second] = records as [AgentRecord, AgentRecord];
  // Without files only memory can know them.
  expect(ended.get(oldest.id)).toBeUndefined();
  expect(ended.all(() => false)).toHaveLength(10_000);
  expect(ended.get(second.id)).toBe(second);
  expect(ended.usage().totals().agents).toBe(10_001);
  write(paths, oldest);
  expect(ended.get(oldest.id)).toEqual(oldest);
  expect(ended.all(() => false)).toHaveLength(10_001);
  expect(ended.all((id) => id === oldest.id)).toHaveLength(10_000);
});

test("records and sums are the same with and without eviction, also when agents run again or are removed", () => {
  const paths = sessionPaths(temporaryDirectory(), sessionId);
  const [all, few] = [undefined, 3].map(
    (limit) => new EndedRecords({ paths, isReopened: false, limit }),
  ) as [EndedRecords, EndedRecords];
  const records = Array.from({ length: 8 }, (_, at) => endedRecord(at));
  const both = (act: (one: EndedRecords) => void): void => {
    for (const one of [all, few]) act(one);
    expect(few.usage().totals()).toEqual(all.usage().totals());
    expect(byId(few)).toEqual(byId(all));
    for (const { id } of records) expect(few.get(id)).toEqual(all.get(id));
  };
  for (const record of records) {
    write(paths, record);
    both((one) => one.add(record));
  }
  const [first, second] = records as [AgentRecord, AgentRecord];
  // The first ends again, with the double usage.
  const again = { ...first, before: totalOf(first), runs: 2 };
  rmSync(paths.meta(first.id));
  both((one) => one.delete(first));
  write(paths, again);
  both((one) => one.add(again));
  // The second is removed; its cost was unknown.
  expect(all.usage().totals().costUsd).toBeNull();
  rmSync(paths.meta(second.id));
  both((one) => one.delete(second));
  expect(few.get(second.id)).toBeUndefined();
  expect(few.usage().totals()).toMatchObject({ agents: 7, costUsd: 3.5 } satisfies Partial<Totals>);
  for (const record of [again, ...records.slice(2)]) {
    rmSync(paths.meta(record.id));
    both((one) => one.delete(record));
  }
  expect(few.usage().totals()).toMatchObject({ agents: 0, usage: { input: 0 }, costUsd: 0 });
});

test("agents of an earlier process are found, and are in no sum of this one", () => {
  const paths = sessionPaths(temporaryDirectory(), sessionId);
  const [earlier, later] = [endedRecord(0), endedRecord(2)];
  write(paths, earlier);
  const ended = new EndedRecords({ paths, isReopened: true });
  write(paths, later);
  ended.add(later);
  expect(byId(ended)).toEqual([earlier, later]);
  expect(ended.usage().totals()).toMatchObject({ agents: 1, usage: { input: 300 } });
  ended.delete(earlier);
  expect(ended.usage().totals()).toMatchObject({ agents: 1, usage: { input: 300 } });
});

/** The agent with the number `at` used (`at` + 1) × 100 tokens, for 0.1 dollars each hundred; the price of number 1 is unknown. */
function endedRecord(at: number): AgentRecord {
  const header = { agentId: `a${String(at).padStart(5, "0")}` as AgentId, sessionId, at };
  const usage = { input: (at + 1) * 100, output: 0, cacheRead: 0, cacheWrite: 0 };
  const used = figures({ usage, costUsd: at === 1 ? null : (at + 1) / 10 });
  const result = { ...used, state: "completed", content: "" } as const;
  const type = at % 2 === 0 ? "even" : "odd";
  const agent = agentSummary({ type, parentId: "main" as AgentId, depth: 1 });
  return advance(introduce(header, agent), { ...header, type: "agent-end", result });
}

function write(paths: SessionPaths, record: AgentRecord): void {
  mkdirSync(dirname(paths.meta(record.id)), { recursive: true });
  const meta = metaOf(record, { pid: 1, pidStart: "gone" });
  writeFileSync(paths.meta(record.id), JSON.stringify(meta));
}

function byId(ended: EndedRecords): AgentRecord[] {
  return ended.all(() => false).toSorted((a, b) => a.id.localeCompare(b.id));
}

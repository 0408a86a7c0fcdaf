import { describe, expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import type { AgentResult } from "../contract/agent-result.ts";
import type { AgentId, SessionId } from "../contract/ids.ts";
import { addCost, addUsage, noUsage, type Usage } from "../contract/message.ts";
import {
  advance,
  beginRun,
  earlierRuns,
  hasEnded,
  introduce,
  isBusy,
  resultOf,
  runFigures,
  totalOf,
  type AgentRecord,
} from "./agent-record.ts";
import type { AgentEvent, AgentEventBody } from "./event.ts";
import { agentSummary } from "./events-fixture.ts";

const summary = agentSummary();
const header = { agentId: "a" as AgentId, sessionId: "s" as SessionId };
const first = introduce({ ...header, at: 1 }, summary);

describe("the fold", () => {
  test("goes on from a record that was written and read back as if it had never stopped", () => {
    fc.assert(
      fc.property(lives, fc.nat(), (events, cut) => {
        const at = cut % (events.length + 1);
        const half = readBack(fold(first, events.slice(0, at)));
        expect(fold(half, events.slice(at))).toEqual(fold(first, events));
      }),
    );
  });

  test("gives a reader that comes for the second run the same record, because its first event has what was before", () => {
    fc.assert(
      fc.property(runs, runs, fc.boolean(), (one, two, isInterrupted) => {
        const before = fold(first, inTime([start, ...one, ...(isInterrupted ? [] : [ended(one)])]));
        const begun = beginRun(before, { resumes: isInterrupted, at: 500 });
        const earlier = earlierRuns(begun);
        if (earlier === undefined) throw new Error("it has run before");
        const agent = { ...summary, earlier };
        const later = inTime([{ type: "agent-start", agent }, ...two], 500);
        const late = introduce({ ...header, at: 500 }, agent);
        expect(usedBy(fold(late, later))).toEqual(usedBy(fold(begun, later)));
        expect(totalOf(fold(late, later))).toMatchObject(sumOf([...one, ...two]));
      }),
    );
  });
});

describe("the account", () => {
  test("is the sum over the events, whatever their order", () => {
    fc.assert(
      fc.property(runs, (bodies) => {
        const { turns, toolUses, usage, costUsd } = totalOf(fold(first, inTime(bodies)));
        expect({ turns, toolUses, usage, costUsd }).toEqual(sumOf(bodies));
      }),
    );
  });

  test("moves a run into `before` when the next one begins, and loses nothing of it", () => {
    fc.assert(
      fc.property(runs, runs, (one, two) => {
        const record = fold(first, inTime([start, ...one, ended(one), start, ...two]));
        expect(record).toMatchObject({ runs: 1, end: null, endedAt: null });
        expect(record.before).toEqual(sumOf(one));
        expect(runFigures(record, 0)).toMatchObject(sumOf(two));
        expect(totalOf(record)).toEqual(sumOf([...one, ...two]));
      }),
    );
  });

  test("keeps the usage of an interrupted run that is resumed in the same run", () => {
    fc.assert(
      fc.property(runs, runs, (one, two) => {
        const before = readBack(fold(first, inTime([start, ...one])));
        const record = fold(beginRun(before, { resumes: true, at: 500 }), inTime([start, ...two]));
        expect(record.runs).toBe(0);
        expect(record.before).toEqual(sumOf([]));
        expect(runFigures(record, 0)).toMatchObject(sumOf([...one, ...two]));
      }),
    );
  });

  test("an unknown cost stays unknown in every later run", () => {
    fc.assert(
      fc.property(runs, runs, fc.boolean(), (one, two, resumes) => {
        const unknown = answer({ usage: noUsage, costUsd: null, calls: 0 });
        const spent = fold(first, inTime([start, unknown, ...one]));
        const record = fold(beginRun(spent, { resumes, at: 500 }), inTime([start, ...two]));
        expect(totalOf(record).costUsd).toBeNull();
      }),
    );
  });

  test("has the figures of the result, whose events may not all have been stored", () => {
    const result = { ...resultAfter([]), turns: 3, toolUses: 2, costUsd: 0.5 };
    const record = fold(first, inTime([start, { type: "agent-end", result }]));
    expect(totalOf(record)).toMatchObject({ turns: 3, toolUses: 2, costUsd: 0.5 });
    expect(resultOf(record, "done")).toEqual({ ...result, content: "done" });
  });

  test("names each denied call and reason once, at most 20, and counts them all", () => {
    const deny = (name: string, reason: string): AgentEventBody => ({
      ...{ type: "permission-deny", call: { id: "c", name, input: {} }, reason },
    });
    const twice = [deny("Bash", "rule"), deny("Bash", "rule"), deny("Bash", "mode")];
    expect(fold(first, inTime(twice)).run).toMatchObject({
      denials: 3,
      deniedCalls: [
        { tool: "Bash", reason: "rule", count: 2 },
        { tool: "Bash", reason: "mode", count: 1 },
      ],
    });
    const many = Array.from({ length: 30 }, (_, at) => deny("Bash", `rule ${at}`));
    const { run } = fold(first, inTime([...many, deny("Bash", "rule 0")]));
    expect(run.denials).toBe(31);
    expect(run.deniedCalls).toHaveLength(20);
    expect(run.deniedCalls[0]).toEqual({ tool: "Bash", reason: "rule 0", count: 2 });
  });
});

describe("the state", () => {
  test("is busy, idle or ended, and only an end or an idle agent is not busy", () => {
    fc.assert(
      fc.property(lives, (events) => {
        const record = fold(first, events);
        const { state } = record;
        expect([isBusy(record), state === "idle", hasEnded(record)].filter(Boolean)).toHaveLength(
          1,
        );
        expect(record.waitReason === null).toBe(state !== "waiting");
        expect(record.endedAt === null).toBe(record.end === null);
      }),
    );
  });

  test("a standing agent idles after a task, and has ended once it is stopped", () => {
    const agent = { ...summary, standing: true };
    const idle = introduce({ ...header, at: 1 }, agent);
    expect(idle.state).toBe("idle");
    const worked = fold(idle, inTime([{ type: "agent-start", agent }, ended([])]));
    expect(worked).toMatchObject({ state: "idle", runs: 1, end: { state: "completed" } });
    const result: AgentResult = { ...resultAfter([]), state: "stopped", reason: "enough" };
    expect(fold(worked, inTime([{ type: "agent-end", result }])).state).toBe("stopped");
  });

  test("time in the queue is not part of a run, and the first start stays the start of the agent", () => {
    const queued: AgentEventBody = { type: "agent-queued", position: 1, agent: summary };
    const events = inTime([queued, start, ended([]), queued, start]);
    const [, started, , , again] = events;
    const record = fold(first, events);
    expect(record.startedAt).toBe(started?.at);
    expect(record.run.startedAt).toBe(again?.at);
  });
});

const start: AgentEventBody = { type: "agent-start", agent: summary };

const usages: fc.Arbitrary<Usage> = fc.record({
  input: fc.nat(10_000),
  output: fc.nat(10_000),
  cacheRead: fc.nat(10_000),
  cacheWrite: fc.nat(10_000),
});
const costs = fc.integer({ min: 0, max: 10_000_000 }).map((micros) => micros / 1e6);
const answers = fc
  .record({ usage: usages, costUsd: fc.option(costs, { freq: 20 }), calls: fc.nat(3) })
  .map(answer);
const spends: fc.Arbitrary<AgentEventBody> = fc
  .record({ usage: usages, costUsd: fc.option(costs, { freq: 20 }) })
  .map((spend) => ({ type: "spend", what: "search", model: "m", searches: 1, ...spend, ...time }));
const others: fc.Arbitrary<AgentEventBody> = fc.constantFrom<AgentEventBody>(
  { type: "agent-wait", reason: "child" },
  { type: "agent-wake" },
  { type: "agent-background" },
  { type: "text-delta", text: "…" },
  { type: "tool-call-start", call: { id: "c", name: "Read", input: {} } },
  { type: "permission-deny", call: { id: "c", name: "Bash", input: {} }, reason: "rule" },
);
/** The events of one run between its start and its end. */
const runs = fc.array(fc.oneof(answers, spends, others), { maxLength: 12 });
/** Several runs, the last of which may be under way. */
const lives = fc
  .tuple(fc.array(runs, { maxLength: 3 }), fc.option(runs))
  .map(([whole, last]) =>
    inTime([
      ...whole.flatMap((run) => [start, ...run, ended(run)]),
      ...(last === null ? [] : [start, ...last]),
    ]),
  );

function answer(parts: { usage: Usage; costUsd: number | null; calls: number }): AgentEventBody {
  const content = Array.from({ length: parts.calls }, (_, at) => ({
    ...{ type: "tool_use" as const, id: `c${at}`, name: "Read", input: {} },
  }));
  const message = { role: "assistant" as const, content };
  const { usage, costUsd } = parts;
  return {
    ...{ type: "assistant-message", turn: 1, costUsd, ...time },
    answer: { id: "m", requestId: "r", model: "m", message, stopReason: "end_turn", usage },
  };
}

const time = { durationMs: 7 };

function ended(run: readonly AgentEventBody[]): AgentEventBody {
  return { type: "agent-end", result: resultAfter(run) };
}

function resultAfter(run: readonly AgentEventBody[]): AgentResult {
  const none = { denials: 0, deniedCalls: [], durationMs: 9, lastUsage: noUsage };
  return { ...none, ...sumOf(run), state: "completed", content: "" };
}

/** The same sums, the slow and obvious way. */
function sumOf(bodies: readonly AgentEventBody[]): {
  turns: number;
  toolUses: number;
  usage: Usage;
  costUsd: number | null;
} {
  const answered = bodies.filter((body) => body.type === "assistant-message");
  const spent = bodies.filter((body) => body.type === "spend");
  return {
    turns: answered.length,
    toolUses: answered.reduce((sum, { answer: said }) => sum + said.message.content.length, 0),
    usage: [...answered.map(({ answer: said }) => said), ...spent]
      .map(({ usage }) => usage)
      .reduce(addUsage, noUsage),
    costUsd: [...answered, ...spent]
      .map(({ costUsd }) => costUsd)
      .reduce((sum, cost) => addCost(sum, cost), 0 as number | null),
  };
}

function inTime(bodies: readonly AgentEventBody[], from = 100): AgentEvent[] {
  return bodies.map((body, index) => ({ ...header, at: from + index, ...body }));
}

function fold(record: AgentRecord, events: readonly AgentEvent[]): AgentRecord {
  return events.reduce(advance, record);
}

function readBack(record: AgentRecord): AgentRecord {
  return JSON.parse(JSON.stringify(record)) as AgentRecord;
}

function usedBy({ run, before, runs: count, startedAt }: AgentRecord): object {
  return { run, before, count, startedAt };
}

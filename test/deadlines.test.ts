import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../src/index.ts";
import { textOf, type AssistantBlock, type UserBlock } from "../src/contract/message.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";
import { markedProcesses } from "./support/marked-processes.ts";
import { sequence, setStage, type Stage } from "./support/stage.ts";
import { until, untilExists } from "./support/until.ts";

/** Answers whoever is told to report. */
const report = `
  - last: Report now
    reply: This is as far as I came.
`;
const sleepingTwice = `
turns:${report}
  - turn: 1
    reply:
      - text: I look.
      - call: Bash
        input: { command: "echo begun; sleep 300 & setsid sleep 300; wait" }
`;

describe("the wall clock", () => {
  test("warns, then interrupts a tool call and asks for a report, which is the result", async () => {
    const clock = new TestClock();
    const stage = setStage(sleepingTwice, { allowedTools: ["Bash"], clock });
    const run = await start(stage, { timeout: 2000 });
    await sleeps(run.id, 2);
    clock.advance(2000);
    const { id, output } = await run.toEnd();
    expect(output).toMatchObject({
      state: "failed",
      content: "This is as far as I came.",
      error: { code: "timeout", message: expect.stringContaining("longer than 2 s") as string },
    });
    expect(sequence(stage.events, id)).toEqual([
      "agent-start",
      "prompt",
      "turn-start",
      "assistant-message",
      "tool-call-start Bash",
      "deadline-warning",
      "tool-call-end Bash",
      "prompt",
      "turn-start",
      "assistant-message",
      "agent-end",
    ]);
    expect(warnings(stage.events)).toEqual(["wall"]);
    expect(toolResults(stage.events)).toEqual([
      expect.stringMatching(
        /^Interrupted: The agent ran longer.*\nOutput so far:\nbegun\n/,
      ) as string,
    ]);
    expect(markedProcesses(id)).toEqual([]);
    expectEveryCallAnswered(stage);
  });

  test("breaks off an answer and asks anew, with all that was said before and the reason", async () => {
    const clock = new TestClock();
    const stage = setStage(
      `
turns:${report}
  - turn: 1
    reply: [{ call: Glob, input: { pattern: "*" } }]
  - turn: 2
    reply: hello there
    fault: { kind: stall, times: 99 }
`,
      { clock },
    );
    const run = await start(stage, { timeout: 1500, type: "Explore" });
    await until(() => count(stage, "text-delta") > 0);
    clock.advance(1500);
    const { id, output } = await run.toEnd();
    expect(output).toMatchObject({
      content: "This is as far as I came.",
      error: { code: "timeout" },
    });
    expect(sequence(stage.events, id)).toEqual([
      "agent-start",
      "prompt",
      "turn-start",
      "assistant-message",
      "tool-call-start Glob",
      "tool-call-end Glob",
      "turn-start",
      "deadline-warning",
      "prompt",
      "turn-start",
      "assistant-message",
      "agent-end",
    ]);
    const [broken, asked] = stage.requests.slice(-2).map(({ messages }) => messages);
    expect(asked?.slice(0, -1)).toEqual(broken?.slice(0, -1));
    expect(asked?.at(-1)?.content.map(({ type }) => type)).toEqual(["tool_result", "text"]);
    expect(asked?.at(-1)?.content.slice(0, 1)).toEqual(broken?.at(-1)?.content);
    expectEveryCallAnswered(stage);
  });

  test("ends an agent whose report does not come, with what it had said and what had arrived", async () => {
    const clock = new TestClock();
    const stage = setStage(
      `
turns:
  - last: Report now
    reply: So
    fault: { kind: stall, times: 99 }
  - turn: 1
    reply:
      - text: I look.
      - call: Bash
        input: { command: sleep 300 }
`,
      { allowedTools: ["Bash"], limits: { wrapUpTimeout: 200 }, clock },
    );
    const run = await start(stage, { timeout: 1500 });
    await sleeps(run.id, 1);
    clock.advance(1500);
    await until(() => stage.requests.length === 2);
    clock.advance(200);
    const { id, output } = await run.toEnd();
    expect(output).toMatchObject({
      state: "failed",
      content: expect.stringMatching(/^I look\.\n\nSo?$/) as string,
      error: { code: "timeout", message: expect.stringContaining("gave no report") as string },
    });
    expect(sequence(stage.events, id).slice(-3)).toEqual(["prompt", "turn-start", "agent-end"]);
    expect(markedProcesses(id)).toEqual([]);
  });

  test("runs no tool in the last turn; without a word in it the last words are the result", async () => {
    const clock = new TestClock();
    const stage = setStage(
      `
turns:
  - last: Report now
    reply: [{ call: Bash, input: { command: touch too-late } }]
  - turn: 1
    reply:
      - text: I look.
      - call: Bash
        input: { command: sleep 300 }
  - last: go on
    reply: I go on.
`,
      { allowedTools: ["Bash"], clock },
    );
    const agent = await stage.manager.spawn({ subagent_type: "Bash" });
    const processed = stage.manager.process(agent.id, "x", { timeout: 1500 });
    await sleeps(agent.id, 1);
    clock.advance(1500);
    expect(await processed).toMatchObject({
      state: "failed",
      content: "I look.",
      error: { code: "timeout" },
    });
    expect(toolResults(stage.events).at(-1)).toContain("Not run");
    expect(await stage.manager.process(agent.id, "go on")).toMatchObject({ content: "I go on." });
    expectEveryCallAnswered(stage);
  });

  test("stands still in waiting parents: a chain finishes though it takes longer than any of them may", async () => {
    const clock = new TestClock();
    const works = (name: string): string =>
      `[{ call: Bash, input: { command: "touch ${name}; until [ -e ${name}-done ]; do sleep 0.02; done" } }]`;
    const task = (name: string, next: string): string => `
  - agent: general-purpose
    task: ${name}
    turn: 1
    reply: ${works(name)}
  - agent: general-purpose
    task: ${name}
    turn: 2
    reply: [{ call: Agent, input: { description: d, prompt: ${next}, subagent_type: general-purpose } }]
  - agent: general-purpose
    task: ${name}
    turn: 3
    reply: "${name} heard: {{ results.1 | line 1 }}"
`;
    const stage = setStage(
      `turns:${task("outer", "middle")}${task("middle", "inner")}
  - agent: general-purpose
    task: inner
    turn: 1
    reply: ${works("inner")}
  - agent: general-purpose
    task: inner
    turn: 2
    reply: done
`,
      {
        allowedTools: ["Bash", "Agent"],
        limits: { maxRunning: 1, maxSpawnDepth: 3, timeout: 4000, noProgress: 4000 },
        clock,
      },
    );
    const run = await start(stage, { type: "general-purpose", prompt: "outer" });
    for (const name of ["outer", "middle", "inner"]) {
      await untilExists(join(stage.cwd, name));
      clock.advance(3000);
      writeFileSync(join(stage.cwd, `${name}-done`), "");
    }
    const { output } = await run.toEnd();
    expect(output).toMatchObject({
      state: "completed",
      content: "outer heard: middle heard: done",
    });
    expect(stage.events.filter(({ type }) => type === "agent-end")).toHaveLength(3);
  });
});

describe("no progress", () => {
  test("is an agent that makes the same call with the same result again and again", async () => {
    const clock = new TestClock();
    const stage = setStage(
      `
turns:${report}
  - reply: [{ text: Again., }, { call: Bash, input: { command: "sleep 0.05; echo same" } }]
    repeat: true
`,
      { allowedTools: ["Bash"], limits: { noProgress: 1500 }, clock },
    );
    const run = await start(stage, { max_turns: 10_000 });
    await until(() => count(stage, "tool-call-end") > 0);
    clock.advance(1000);
    await until(() => count(stage, "tool-call-end") > 3);
    clock.advance(500);
    const { output } = await run.toEnd();
    expect(output).toMatchObject({
      state: "failed",
      content: "This is as far as I came.",
      error: { code: "stalled" },
    });
    expect(warnings(stage.events)).toEqual(["progress"]);
    expectEveryCallAnswered(stage);
  });

  test("is a command that prints one line for ever, but not one that prints new lines", async () => {
    const printing = (line: string): string => `
turns:${report}
  - turn: 1
    reply: [{ call: Bash, input: { command: "until [ -e go ]; do echo ${line}; echo >> printed; sleep 0.02; done" } }]
  - turn: 2
    reply: It ended.
`;
    const options = { allowedTools: ["Bash"], limits: { noProgress: 2500 } };
    const clock = new TestClock();
    const same = setStage(printing("same"), { ...options, clock });
    const run = await start(same, {});
    await until(() => readFileSync(join(same.cwd, "printed"), "utf8").length > 3);
    clock.advance(2500);
    const stalled = await run.toEnd();

    const fresh = setStage(printing("line $((i++))"), { ...options, clock });
    const other = await start(fresh, {});
    for (let times = 0; times < 3; times += 1) {
      const before = count(fresh, "tool-call-progress");
      await until(() => count(fresh, "tool-call-progress") > before);
      clock.advance(2000);
    }
    writeFileSync(join(fresh.cwd, "go"), "");
    const finished = await other.toEnd();
    expect(stalled.output).toMatchObject({ state: "failed", error: { code: "stalled" } });
    expect(markedProcesses(stalled.id)).toEqual([]);
    expect(finished.output).toMatchObject({ state: "completed", content: "It ended." });
  });

  test("is an answer that runs in circles, but not a long one", async () => {
    const speaking = (text: string): string => `
speed: 50
turns:${report}
  - reply: "${text}"
`;
    const clock = new TestClock();
    const options = { limits: { noProgress: 2500 }, clock };
    const circle = setStage(speaking("and so on ".repeat(3000)), options);
    const run = await start(circle, { type: "Explore" });
    // A word is news where the eight before it are others.
    await until(() => count(circle, "text-delta") > 20);
    clock.advance(2500);
    const stalled = await run.toEnd();

    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
    const long = setStage(speaking(words), options);
    const other = await start(long, { type: "Explore" });
    for (let times = 0; times < 3; times += 1) {
      const before = count(long, "text-delta");
      await until(() => count(long, "text-delta") > before || count(long, "agent-end") > 0);
      clock.advance(2000);
    }
    const finished = await other.toEnd();
    expect(stalled.output).toMatchObject({ error: { code: "stalled" } });
    expect(finished.output).toMatchObject({ state: "completed", content: words });
  });
});

describe("a tool call", () => {
  const twice = `
turns:
  - turn: 1
    reply: [{ call: Bash, input: { command: "echo begun; sleep 300 & setsid sleep 300; wait" } }]
  - turn: 2
    reply: [{ call: Bash, input: { command: "echo short" } }]
  - turn: 3
    reply: "{{ results.1 | line 1 }}"
`;

  test("that takes too long is ended with a warning before, and the agent goes on", async () => {
    const clock = new TestClock();
    const stage = setStage(twice, { allowedTools: ["Bash"], limits: { toolTimeout: 2000 }, clock });
    let left: string[] | undefined;
    const seen = (async () => {
      for await (const event of stage.manager.events()) {
        if (event.type === "tool-call-end") left ??= markedProcesses(event.agentId);
        if (event.type === "agent-end") return;
      }
    })();
    const run = await start(stage, {});
    await sleeps(run.id, 2);
    clock.advance(2000);
    const { id, output } = await run.toEnd();
    await seen;
    expect(output).toMatchObject({ state: "completed", content: "short" });
    expect(left).toEqual([]);
    expect(sequence(stage.events, id).slice(3, 7)).toEqual([
      "assistant-message",
      "tool-call-start Bash",
      "deadline-warning",
      "tool-call-end Bash",
    ]);
    const warning = stage.events.find((event) => event.type === "deadline-warning");
    const begun = stage.events.find((event) => event.type === "tool-call-start");
    expect(warning).toMatchObject({ clock: "tool", callId: begun?.call.id });
    expect(toolResults(stage.events)[0]).toMatch(
      /took longer than 2 s, which is the limit.*\nOutput so far:\nbegun/,
    );
  });

  test("that is silent is left to its own limit before its agent is called stalled", async () => {
    const clock = new TestClock();
    const stage = setStage(twice, {
      allowedTools: ["Bash"],
      limits: { toolTimeout: 2000, noProgress: 2000 },
      clock,
    });
    const run = await start(stage, {});
    await sleeps(run.id, 2);
    clock.advance(2000);
    const { output } = await run.toEnd();
    expect(output).toMatchObject({ state: "completed", content: "short" });
  });
});

test("a stop during the last turn stops the agent", async () => {
  const clock = new TestClock();
  const stage = setStage(
    `
turns:
  - last: Report now
    reply: So I say
    fault: { kind: stall, times: 99 }
  - turn: 1
    reply: [{ text: I look. }, { call: Bash, input: { command: sleep 300 } }]
`,
    { allowedTools: ["Bash"], clock },
  );
  const { manager, events } = stage;
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash", timeout: 1500 });
  await sleeps(agent.id, 1);
  clock.advance(1500);
  await until(() => asksForReport(stage));
  expect(await manager.stop(agent.id, "enough")).toMatchObject({ state: "stopped" });
  expect(events.at(-1)).toMatchObject({ type: "agent-end", result: { reason: "enough" } });
});

async function start(
  { manager }: Stage,
  options: { timeout?: number; type?: string; prompt?: string; max_turns?: number },
) {
  const { type = "Bash", prompt = "x", ...rest } = options;
  const { id } = await manager.spawn({ prompt, subagent_type: type, ...rest });
  const toEnd = async () => ({ id, output: await manager.output(id, { block: true }) });
  return { id, toEnd };
}

/** Resolves when so many commands of the agent sleep. */
async function sleeps(agentId: string, many: number): Promise<void> {
  const sleeping = (): string[] =>
    markedProcesses(agentId).filter((command) => command === "sleep 300");
  await until(() => sleeping().length === many);
}

function count({ events }: Stage, type: AgentEvent["type"]): number {
  return events.filter((event) => event.type === type).length;
}

function asksForReport({ events }: Stage): boolean {
  return events.some((event) => event.type === "turn-start" && event.wrapUp);
}

function warnings(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "deadline-warning" ? [event.clock] : []));
}

function toolResults(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "tool-call-end" ? [textOf(event.result.content)] : [],
  );
}

/** A conversation in which a call has no result could never go on. */
function expectEveryCallAnswered({ requests }: Stage): void {
  const blocks = (requests.at(-1)?.messages ?? []).flatMap(
    (message): (AssistantBlock | UserBlock)[] => message.content,
  );
  const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const answered = blocks.flatMap((block) =>
    block.type === "tool_result" ? [block.tool_use_id] : [],
  );
  expect(calls.length).toBeGreaterThan(0);
  expect(answered).toEqual(calls);
}

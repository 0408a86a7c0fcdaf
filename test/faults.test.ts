import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { textOf } from "../src/contract/message.ts";
import { setStage } from "./support/stage.ts";
import { until } from "./support/until.ts";
import { someTurns } from "./support/turns.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";

const retry = { attempts: 4, base: 1, most: 4 };

function appending(fault: string, at: 1 | 2): string {
  const faulty = (turn: number): string => (turn === at ? `    fault: ${fault}\n` : "");
  return `
turns:
  - turn: 1
    reply: [{ text: I write a line. }, { call: Bash, input: { command: "echo line >> effects" } }]
${faulty(1)}  - turn: 2
    reply: done
${faulty(2)}`;
}

const faults = [
  ["{ kind: rate-limit, times: 2, retryAfter: 0 }", ["rate_limited", "rate_limited"]],
  ["{ kind: overload, times: 3 }", ["overloaded", "overloaded", "overloaded"]],
  ["{ kind: server-error }", ["server_error"]],
  ["{ kind: broken-stream, times: 2 }", ["stream_broken", "stream_broken"]],
  ["{ kind: stall }", ["stalled"]],
] as const;

for (const at of [1, 2] as const) {
  test.each(faults)(
    `a provider's fault passes at turn ${at} and no tool effect is repeated: %s`,
    async (fault, codes) => {
      const clock = new TestClock();
      const { manager, events, requests, cwd } = setStage(appending(fault, at), {
        allowedTools: ["Bash"],
        limits: { retry, modelStall: 200 },
        clock,
      });
      const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash" });
      if (fault.includes("stall")) {
        await until(() => requests.length === at);
        clock.advance(200);
      }
      expect(await manager.output(agent.id, { block: true })).toMatchObject({
        state: "completed",
        content: "done",
      });
      expect(events.flatMap((event) => (event.type === "model-retry" ? [event.code] : []))).toEqual(
        codes,
      );
      expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("line\n");
      expect(events.filter((event) => event.type === "assistant-message")).toHaveLength(2);
    },
  );
}

test("a fault that does not pass ends in a typed failure after the last try", async () => {
  const { manager, events } = setStage(
    "turns: [{ reply: hi, fault: { kind: overload, times: 99 } }]",
    { limits: { retry } },
  );
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  expect(await manager.output(agent.id, { block: true })).toMatchObject({
    state: "failed",
    error: { code: "model_error" },
  });
  expect(events.filter((event) => event.type === "model-retry")).toHaveLength(3);
});

test("a tool call that is not valid JSON goes back to the model, which tries again", async () => {
  const { manager, events, cwd } = setStage(
    `
turns:
  - reply: [{ call: Bash, input: { command: "echo line >> effects" } }]
    fault: { kind: malformed-call }
  - reply: done
`,
    { allowedTools: ["Bash"] },
  );
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Bash" });
  expect(await manager.output(agent.id, { block: true })).toMatchObject({ state: "completed" });
  const results = events.flatMap((event) => (event.type === "tool-call-end" ? [event.result] : []));
  expect(results.map((result) => result.is_error ?? false)).toEqual([true, false]);
  expect(textOf(results[0]?.content ?? "")).toContain("not valid JSON");
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("line\n");
});

test("malformed input, an unknown tool and an unknown agent type are results that the model can read", async () => {
  const { manager, events } = setStage(
    `
turns:
  - turn: 1
    reply:
      - { call: Read, input: { path: a.txt } }
      - { call: Telepathy, input: {} }
      - { call: Task, input: { description: d, prompt: p, subagent_type: exlore } }
  - turn: 2
    reply: I see
`,
    { allowedTools: ["Agent"] },
  );
  const main = await manager.main({ prompt: "x" });
  expect(await manager.output(main.id, { block: true })).toMatchObject({ state: "completed" });
  const texts = events.flatMap((event) =>
    event.type === "tool-call-end" ? [textOf(event.result.content)] : [],
  );
  expect(texts.toSorted()).toEqual([
    expect.stringContaining(
      "Agent type 'exlore' not found. Did you mean 'Explore'? Available agents: ",
    ) as string,
    expect.stringMatching(/^Invalid input for Read: file_path/) as string,
    expect.stringContaining("There is no tool 'Telepathy' here. Available tools: ") as string,
  ]);
});

test("a stop during a stalled answer ends the agent at once, with no event after its end", async () => {
  const { manager, events } = setStage(
    "turns: [{ reply: hello there, fault: { kind: stall, times: 99 } }]",
  );
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  await until(() => events.some((event) => event.type === "text-delta"));
  await manager.stop(agent.id);
  expect(events.at(-1)).toMatchObject({ type: "agent-end", result: { state: "stopped" } });
  const before = events.length;
  await someTurns();
  expect(events).toHaveLength(before);
});

import { expect, test } from "vitest";
import { sequence, setStage } from "./support/stage.ts";
import { until } from "./support/until.ts";

const chain = `
turns:
  - agent: main
    turn: 1
    reply: [{ call: Agent, input: { description: a, prompt: outer, subagent_type: general-purpose } }]
  - agent: main
    turn: 2
    reply: "main heard: {{ results.1 | line 1 }}"
  - agent: general-purpose
    task: outer
    turn: 1
    reply: [{ call: Agent, input: { description: b, prompt: inner, subagent_type: general-purpose } }]
  - agent: general-purpose
    task: outer
    turn: 2
    reply: "outer heard: {{ results.1 | line 1 }}"
  - agent: general-purpose
    task: inner
    reply: inner is done
`;

test("with a limit of one, a parent that waits for its child does not starve it", async () => {
  const { manager, events } = setStage(chain, {
    allowedTools: ["Agent"],
    limits: { maxRunning: 1, maxSpawnDepth: 2 },
  });
  const main = await manager.main({ prompt: "go" });
  expect(await manager.output(main.id, { block: true })).toMatchObject({
    state: "completed",
    content: "main heard: outer heard: inner is done",
  });
  const outer = manager.list({ all: true }).find((row) => row.depth === 1)?.id ?? "";
  const inner = manager.list({ all: true }).find((row) => row.depth === 2)?.id ?? "";
  expect(sequence(events, outer)).toEqual([
    "agent-start",
    "prompt",
    "turn-start",
    "assistant-message",
    "tool-call-start Agent",
    "agent-wait",
    "agent-wake",
    "tool-call-end Agent",
    "turn-start",
    "assistant-message",
    "agent-end",
  ]);
  const order = events.map(
    (event) =>
      `${event.agentId === inner ? "inner" : event.agentId === outer ? "outer" : "main"} ${event.type}`,
  );
  expect(order.indexOf("outer agent-wait")).toBeLessThan(order.indexOf("inner agent-start"));
  expect(order.indexOf("inner agent-end")).toBeLessThan(order.indexOf("outer agent-wake"));
});

test("at the limit agents wait in line and start first come, first served", async () => {
  const { manager, events } = setStage(
    "turns: [{ reply: [{ call: Bash, input: { command: sleep 0.2 } }] }, { reply: ok }]",
    {
      allowedTools: ["Bash"],
      limits: { maxRunning: 2 },
    },
  );
  const agents = await Promise.all(
    [0, 1, 2, 3, 4].map((index) =>
      manager.spawn({ prompt: `task ${index}`, subagent_type: "Bash" }),
    ),
  );
  expect(manager.count()).toBeLessThanOrEqual(2);
  await Promise.all(agents.map(({ id }) => manager.output(id, { block: true })));
  const started = events
    .filter((event) => event.type === "agent-start")
    .map((event) => event.agentId);
  expect(started).toEqual(agents.map(({ id }) => id));
  const queued = events
    .filter((event) => event.type === "agent-queued")
    .map((event) => event.position);
  expect(queued).toEqual([1, 2, 3]);
  let running = 0;
  for (const event of events) {
    if (event.type === "agent-start") running += 1;
    expect(running).toBeLessThanOrEqual(2);
    if (event.type === "agent-end") running -= 1;
  }
});

test("onLimit reject answers with the limit and leaves the running agents alone", async () => {
  const { manager } = setStage(
    "turns: [{ reply: [{ call: Bash, input: { command: sleep 300 } }] }]",
    {
      allowedTools: ["Bash"],
      limits: { maxRunning: 1, onLimit: "reject" },
    },
  );
  const first = await manager.spawn({ prompt: "x", subagent_type: "Bash" });
  await expect(manager.spawn({ prompt: "y", subagent_type: "Bash" })).rejects.toMatchObject({
    code: "limit_reached",
    message: expect.stringContaining("max concurrent agents reached (1)") as string,
  });
  expect(manager.list()).toHaveLength(1);
  await manager.stop(first.id);
  const second = await manager.spawn({ prompt: "z", subagent_type: "Bash" });
  expect(manager.get(second.id)?.state).not.toBe("stopped");
});

test("an agent stopped while it is in line never starts, and the line moves on", async () => {
  const { manager, events } = setStage(
    "turns: [{ reply: [{ call: Bash, input: { command: sleep 300 } }] }]",
    {
      allowedTools: ["Bash"],
      limits: { maxRunning: 1 },
    },
  );
  const [first, second, third] = await Promise.all(
    ["a", "b", "c"].map((prompt) => manager.spawn({ prompt, subagent_type: "Bash" })),
  );
  await manager.stop(second?.id ?? "");
  expect(sequence(events, second?.id ?? "")).toEqual(["agent-queued", "agent-end"]);
  await manager.stop(first?.id ?? "");
  await until(() => manager.get(third?.id ?? "")?.state === "running");
  expect(manager.count()).toBe(1);
});

test("the environment can set the limit, and a value that is no number is refused by name", async () => {
  process.env["CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS"] = "many";
  try {
    expect(() => setStage("turns: [{ reply: ok }]")).toThrow(
      /CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS/,
    );
  } finally {
    delete process.env["CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS"];
  }
});

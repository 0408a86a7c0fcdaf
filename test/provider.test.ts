import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAnthropic, parseScenario, type ManagerOptions } from "../src/index.ts";
import {
  AnthropicServer,
  scenarioPlayer,
  type ReceivedRequest,
  type Trouble,
} from "../src/model/anthropic/server-fixture.ts";
import { sequence, setStage, type Stage } from "./support/stage.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";
import { someTurns } from "./support/turns.ts";

const retry = { attempts: 4, base: 1, most: 4 };

/** Five requests, one after the other: main, child, child, main, main. */
const work = `
turns:
  - task: keep a record
    turn: 1
    reply: [{ text: I ask a child. }, { call: Agent, input: { description: Read, prompt: read the note, subagent_type: Explore } }]
  - task: read the note
    turn: 1
    reply: [{ thinking: where is it }, { call: Read, input: { file_path: note.txt } }]
  - task: read the note
    turn: 2
    reply: "the note says {{ result.Read }}"
  - task: keep a record
    turn: 2
    reply: [{ text: I write it down. }, { call: Bash, input: { command: "echo line >> effects" } }]
  - task: keep a record
    turn: 3
    reply: all is done
`;

const troubles: [Trouble, string][] = [
  ["rate-limit", "rate_limited"],
  ["overload", "overloaded"],
  ["server-error", "server_error"],
  ["drop", "connection"],
  ["broken-stream", "stream_broken"],
  ["error-event", "overloaded"],
  ["stall", "stalled"],
];

for (const at of [1, 2, 3, 4, 5]) {
  test.each(troubles)(
    `a fault of the provider at request ${at} passes and the line is written once: %s`,
    async (trouble, code) => {
      const { stage, server } = await setProvider(work, {
        trouble: ({ number }) => (number === at ? trouble : undefined),
      });
      expect(await runMain(stage)).toMatchObject({ state: "completed", content: "all is done" });
      expect(retries(stage)).toEqual([code]);
      expect(effects(stage)).toBe("line\n");
      expect(server.requests).toHaveLength(6);
      expect(calls(stage)).toEqual(["Read", "Agent", "Bash"]);
    },
  );
}

test.each([
  [1, "Agent"],
  [2, "Read"],
  [4, "Bash"],
])(
  "a call at request %i that is not valid JSON goes back to the model, and the line is written once",
  async (at, tool) => {
    const { stage, server } = await setProvider(work, {
      trouble: ({ number }) => (number === at ? "malformed-call" : undefined),
    });
    expect(await runMain(stage)).toMatchObject({ state: "completed", content: "all is done" });
    const failed = stage.events.flatMap((event) =>
      event.type === "tool-call-end" && event.result.is_error === true ? [event.call.name] : [],
    );
    expect(failed).toEqual([tool]);
    expect(retries(stage)).toEqual([]);
    expect(effects(stage)).toBe("line\n");
    expect(server.requests).toHaveLength(6);
  },
);

test.each(troubles)(
  "a fault that does not pass ends in a typed failure, with the line written once: %s",
  async (trouble, code) => {
    const { stage, server } = await setProvider(work, {
      trouble: ({ number }) => (number >= 5 ? trouble : undefined),
    });
    expect(await runMain(stage)).toMatchObject({
      state: "failed",
      error: { code: "model_error" },
    });
    expect(retries(stage)).toEqual([code, code, code]);
    expect(effects(stage)).toBe("line\n");
    expect(server.requests).toHaveLength(8);
  },
);

test("ten children of one type share tools and system byte for byte, and each its own messages from turn to turn", async () => {
  const { stage, server } = await setProvider(`
turns:
  - turn: 1
    reply: [{ thinking: hm }, { call: Read, input: { file_path: note.txt } }]
  - turn: 2
    reply: "{{ prompt }}: {{ result.Read }}"
`);
  const { manager } = stage;
  const children = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      manager.spawn({ prompt: `task ${index}`, subagent_type: "Explore" }),
    ),
  );
  const results = await Promise.all(children.map(({ id }) => manager.output(id, { block: true })));
  expect(results.map(({ state }) => state)).toEqual(Array(10).fill("completed"));
  expect(server.requests).toHaveLength(20);
  const prefixes = server.requests.map(({ raw }) => raw.slice(0, raw.indexOf(`"messages":[`)));
  expect(new Set(prefixes).size).toBe(1);
  expect(prefixes[0]).toMatch(
    /^{"model":"[^"]+","max_tokens":32000,"thinking":{"type":"disabled"},"tools":\[.+"system":\[/,
  );
  const conversations = Map.groupBy(server.requests, ({ body }) =>
    JSON.stringify(body.messages[0]),
  );
  expect(conversations.size).toBe(10);
  const end = `],"cache_control":{"type":"ephemeral"},"stream":true}`;
  for (const [first, second] of conversations.values()) {
    expect(first?.raw.endsWith(end)).toBe(true);
    expect(second?.raw.startsWith(first?.raw.slice(0, -end.length) ?? "")).toBe(true);
  }
});

test("an answer that met the length limit is continued, and the parts are one result", async () => {
  const { stage, server } = await setProvider(`
turns:
  - { turn: 1, reply: "the first half, ", stop: max_tokens }
  - { turn: 2, reply: the second half }
`);
  const agent = await stage.manager.spawn({ prompt: "tell", subagent_type: "Explore" });
  expect(await stage.manager.output(agent.id, { block: true })).toMatchObject({
    state: "completed",
    content: "the first half, the second half",
  });
  expect(server.requests.map(({ body }) => body.messages.map(({ role }) => role))).toEqual([
    ["user"],
    ["user", "assistant", "user"],
  ]);
});

test("a stop while an answer streams hangs up, and no event follows the agent's end", async () => {
  const { stage, server } = await setProvider("turns: [{ reply: one two three }]", {
    trouble: () => "stall",
  });
  const { manager, events } = stage;
  const reading = manager.events();
  const agent = await manager.spawn({ prompt: "talk", subagent_type: "Explore" });
  for await (const event of reading) if (event.type === "text-delta") break;
  await manager.stop(agent.id, "enough");
  expect(await server.requests[0]?.ended).toBe("closed");
  expect(server.requests).toHaveLength(1);
  await manager.close();
  expect(sequence(events, agent.id)).toEqual([
    "agent-start",
    "prompt",
    "turn-start",
    "spend",
    "agent-end",
  ]);
  expect(events.at(-1)).toMatchObject({
    type: "agent-end",
    result: { state: "stopped", reason: "enough" },
  });
});

async function setProvider(
  scenario: string,
  options: {
    trouble?: (request: ReceivedRequest) => Trouble | undefined;
  } = {},
): Promise<{ stage: Stage; server: AnthropicServer }> {
  const clock = new TestClock();
  const modelStall = 1000;
  const player = scenarioPlayer(parseScenario(scenario, "scenario.yaml"), {
    trouble(request) {
      const trouble = options.trouble?.(request);
      // A model that stalls is given up when the clock says so, however slow the machine is.
      if (trouble === "stall") void someTurns().then(() => clock.advance(modelStall));
      return trouble;
    },
  });
  const server = await AnthropicServer.start(player);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const settings: Partial<ManagerOptions> = {
    model: createAnthropic({ apiKey: "sk-test", baseURL: server.url }),
    allowedTools: ["Agent", "Bash"],
    limits: { retry, modelStall },
    clock,
  };
  const stage = setStage("turns: [{ reply: never asked }]", {
    ...settings,
    files: { "note.txt": "buy milk\n" },
  });
  return { stage, server };
}

async function runMain({ manager }: Stage): Promise<unknown> {
  const main = await manager.main({ prompt: "keep a record" });
  return await manager.output(main.id, { block: true });
}

function retries({ events }: Stage): string[] {
  return events.flatMap((event) => (event.type === "model-retry" ? [event.code] : []));
}

function calls({ events }: Stage): string[] {
  return events.flatMap((event) => (event.type === "tool-call-end" ? [event.call.name] : []));
}

function effects({ cwd }: Stage): string {
  return readFileSync(join(cwd, "effects"), "utf8");
}

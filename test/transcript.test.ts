import { execFileSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { conversationOf, readTranscript } from "../src/transcript/reader.ts";
import { idsOfType, setStage, type Stage } from "./support/stage.ts";

const delegating = `
turns:
  - agent: main
    turn: 1
    reply:
      - thinking: Who could look?
      - text: I ask two.
      - { call: Agent, input: { description: first, prompt: one, subagent_type: Explore } }
      - { call: Agent, input: { description: second, prompt: two, subagent_type: Explore } }
  - agent: main
    turn: 2
    reply: both answered
  - agent: Explore
    turn: 1
    reply:
      - { call: Read, input: { file_path: a.txt } }
      - { call: Glob, input: { pattern: "*" } }
      - { call: Read, input: { file_path: missing.txt } }
  - agent: Explore
    turn: 2
    reply: found
`;

async function delegate(): Promise<Stage & { mainId: string; child: string }> {
  const stage = setStage(delegating, {
    files: { "a.txt": "hello\n", "CLAUDE.md": "Be kind." },
    allowedTools: ["Agent"],
  });
  const main = await stage.manager.main({ prompt: "go" });
  await stage.manager.output(main.id, { block: true });
  return { ...stage, mainId: main.id, child: idsOfType(stage.events, "Explore")[0] ?? "" };
}

test("lines are chained by uuid, carry the session of the parent, and are private", async () => {
  const { manager, child, cwd } = await delegate();
  const sessionDir = join(manager.transcripts.projectDir, manager.sessionId);
  const sidechain = join(sessionDir, "subagents", `agent-${child}.jsonl`);
  for (const [file, isSidechain] of [
    [manager.transcripts.main, false],
    [sidechain, true],
  ] as const) {
    const lines = parse(file).filter((line) => line["uuid"] !== undefined);
    expect(lines[0]).toMatchObject({ parentUuid: null, isSidechain, type: "user" });
    for (const [index, line] of lines.entries()) {
      expect(line).toMatchObject({
        parentUuid: index === 0 ? null : lines[index - 1]?.["uuid"],
        isSidechain,
        sessionId: manager.sessionId,
        userType: "external",
        cwd,
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      });
      expect(line["agentId"]).toBe(isSidechain ? child : undefined);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  expect(statSync(sessionDir).mode & 0o777).toBe(0o700);
  const [record, first] = parse(sidechain);
  expect(record).toMatchObject({ type: "retinue-record", prompt: "one", agent: { id: child } });
  expect(first).toMatchObject({ message: { role: "user", content: "one" } });
});

test("each content block is a line of its own that repeats the answer's id and usage", async () => {
  const { manager } = await delegate();
  const answers = parse(manager.transcripts.main).filter((line) => line["type"] === "assistant");
  const firstAnswer = answers.slice(0, 4).map((line) => line["message"] as Record<string, unknown>);
  expect(
    firstAnswer.map((message) =>
      (message["content"] as { type: string }[]).map((block) => block.type),
    ),
  ).toEqual([["thinking"], ["text"], ["tool_use"], ["tool_use"]]);
  expect(new Set(firstAnswer.map((message) => message["id"])).size).toBe(1);
  expect(new Set(firstAnswer.map((message) => JSON.stringify(message["usage"]))).size).toBe(1);
  for (const message of firstAnswer) expect(message["model"]).toMatch(/^rehearsal\//);
});

test("the file beside a transcript says what the agent is, for other readers and for ps", async () => {
  const { manager, child } = await delegate();
  const subagents = join(manager.transcripts.projectDir, manager.sessionId, "subagents");
  const meta = JSON.parse(
    readFileSync(join(subagents, `agent-${child}.meta.json`), "utf8"),
  ) as object;
  expect(meta).toMatchObject({
    agentType: "Explore",
    description: "first",
    toolUseId: expect.stringMatching(/^toolu_/) as string,
    spawnDepth: 1,
    retinue: { id: child, state: "completed", scripted: true },
  });
  expect(readdirSync(subagents).filter((name) => !/\.(jsonl|meta\.json)$/.test(name))).toEqual([]);
});

test("a conversation read back from disk is the conversation that was sent, byte for byte", async () => {
  const { manager, requests, child } = await delegate();
  const sidechain = join(
    manager.transcripts.projectDir,
    manager.sessionId,
    "subagents",
    `agent-${child}.jsonl`,
  );
  for (const [file, id] of [
    [manager.transcripts.main, null],
    [sidechain, child],
  ] as const) {
    const sent = requests.findLast((request) =>
      id === null ? request.origin.agentType === "main" : request.origin.agentId === id,
    );
    const read = conversationOf(await readTranscript(file));
    expect(read.at(-1)?.role).toBe("assistant");
    expect(JSON.stringify(read.slice(0, -1))).toBe(JSON.stringify(sent?.messages));
  }
});

test("an effect is announced on disk before it happens, without a uuid", async () => {
  const { manager } = await delegate();
  const lines = parse(manager.transcripts.main);
  const uses = lines.filter((line) => JSON.stringify(line).includes('"type":"tool_use"'));
  const intents = lines.filter((line) => line["type"] === "retinue-step");
  expect(uses).toHaveLength(2);
  expect(intents).toHaveLength(2);
  for (const intent of intents) {
    expect(intent["uuid"]).toBeUndefined();
    const id = String(intent["key"]).replace("tool/", "");
    const position = lines.indexOf(intent);
    const result = lines.findIndex((line) =>
      JSON.stringify(line).includes(`"tool_use_id":"${id}"`),
    );
    expect(position).toBeLessThan(result);
  }
});

test("a torn last line is cut off before the first append, and everything before it stays", async () => {
  const { manager } = setStage("turns: [{ reply: first }, { reply: second }]");
  const agent = await manager.spawn({ subagent_type: "Explore" });
  await manager.process(agent.id, "one");
  const file = join(
    manager.transcripts.projectDir,
    manager.sessionId,
    "subagents",
    `agent-${agent.id}.jsonl`,
  );
  const before = readFileSync(file, "utf8");
  appendFileSync(file, '{"type":"user","message":{"ro');
  await manager.process(agent.id, "two");
  const after = readFileSync(file, "utf8");
  expect(after.startsWith(before)).toBe(true);
  for (const line of after.trimEnd().split("\n"))
    expect(() => JSON.parse(line) as unknown).not.toThrow();
});

test("ccusage counts the tokens of a run from its transcripts exactly", async () => {
  const { configDir, events } = await delegate();
  const answers = events.flatMap((event) =>
    event.type === "assistant-message" ? [event.answer.usage] : [],
  );
  const sum = (field: "input" | "output" | "cacheRead" | "cacheWrite"): number =>
    answers.reduce((total, usage) => total + usage[field], 0);
  expect(countWithCcusage(configDir)).toEqual({
    inputTokens: sum("input"),
    outputTokens: sum("output"),
    cacheReadTokens: sum("cacheRead"),
    cacheCreationTokens: sum("cacheWrite"),
  });
  expect(sum("output")).toBeGreaterThan(0);
  expect(sum("cacheRead")).toBeGreaterThan(0);
});

function countWithCcusage(configDir: string): Record<string, number> {
  const text = execFileSync("ccusage", ["daily", "--json", "--offline"], {
    encoding: "utf8",
    env: { ...process.env, CLAUDE_CONFIG_DIR: configDir },
  });
  const { totals } = JSON.parse(text) as { totals: Record<string, number> };
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = totals;
  return { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } as Record<
    string,
    number
  >;
}

function parse(file: string): Record<string, unknown>[] {
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

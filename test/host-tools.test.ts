import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { createManager, createRehearsal, createTool, parseScenario } from "../src/index.ts";
import type { HostTool, HostToolContext, ManagerOptions } from "../src/index.ts";
import { report, setDesk, type Desk } from "./support/answering.ts";
import { sequence, setStage } from "./support/stage.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";
import { until } from "./support/until.ts";
import { ladder } from "../src/loop/ladder.ts";

/** A tool that counts its calls. */
function makeWeather(options: Partial<Parameters<typeof createTool>[0]> = {}): {
  tool: HostTool;
  asked: string[];
} {
  const asked: string[] = [];
  const tool = createTool({
    name: "Weather",
    description: "The weather in a city.",
    input: z.object({ city: z.string().describe("Its name") }),
    execute: ({ city }) => {
      asked.push(city);
      return `It rains in ${city}.`;
    },
    ...(options as object),
  });
  return { tool, asked };
}

const weather = (city: unknown): object => ({ call: "Weather", input: { city } });

function typeWith(tools: string[], more: object = {}): NonNullable<ManagerOptions["agents"]> {
  return { worker: { description: "Works", prompt: "You work.", tools, ...more } };
}

/** One agent that makes these calls, each in a turn of its own, and reports what the last one gave. */
function setCalls(
  calls: readonly object[],
  { type, ...options }: Parameters<typeof setDesk>[1] & { type?: object } = {},
): Desk {
  const tools = [...(options.tools ?? [])].map(({ name }) => name);
  return setDesk(
    { go: [...calls, report] },
    { agents: typeWith(["Read", ...tools], type), inbox: { attended: false }, ...options },
  );
}

test("a host's tool that a rule allows runs like any other, and the model is told its schema", async () => {
  const { tool, asked } = makeWeather();
  const desk = setCalls([weather("Oslo")], { tools: [tool], allowedTools: ["Weather"] });
  const id = await desk.work("go");
  expect(await desk.reported(id)).toBe("It rains in Oslo.");
  expect(asked).toEqual(["Oslo"]);
  expect(desk.requests[0]?.tools.at(-1)).toEqual({
    name: "Weather",
    description: "The weather in a city.",
    input_schema: {
      type: "object",
      properties: { city: { type: "string", description: "Its name" } },
      required: ["city"],
    },
  });
  expect(sequence(desk.events, id)).toEqual([
    "agent-start",
    "prompt",
    "turn-start",
    "assistant-message",
    "tool-call-start Weather",
    "tool-call-end Weather",
    "turn-start",
    "assistant-message",
    "agent-end",
  ]);
  const { entries } = await desk.manager.transcripts.load(id);
  expect(JSON.stringify(entries)).toContain("It rains in Oslo.");
});

test("a rule denies a host's tool by its name or a parameter, in any case of letters", async () => {
  const { tool, asked } = makeWeather();
  const options = { tools: [tool], allowedTools: ["Weather"] };
  const one = setCalls([weather("Paris")], {
    ...options,
    settings: { permissions: { deny: ["weather(city:Par*)"] } },
  });
  expect(await one.reported(await one.work("go"))).toMatch(/'weather\(city:Par\*\)' denies it/);
  const whole = setCalls([weather("Oslo")], {
    ...options,
    settings: { permissions: { deny: ["Weather"] } },
  });
  expect(await whole.reported(await whole.work("go"))).toMatch(/There is no tool 'Weather' here/);
  expect(asked).toEqual([]);
});

test("a host's tool without a rule is asked about, and an answer for the agent allows the next call", async () => {
  const { tool, asked } = makeWeather();
  const desk = setCalls([weather("Oslo"), weather("Rome")], {
    tools: [tool],
    inbox: { attended: true },
  });
  const id = await desk.work("go");
  const [request] = await desk.open(1);
  expect(request).toMatchObject({ tool: "Weather", suggestions: ["Weather"] });
  expect(asked).toEqual([]);
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "agent" });
  expect(await desk.reported(id)).toBe("It rains in Rome.");
  expect(asked).toEqual(["Oslo", "Rome"]);
  expect(desk.of("permission-request")).toHaveLength(1);
});

test("where nobody can be asked the call is denied, and says which rule would allow it", async () => {
  const { tool, asked } = makeWeather();
  const desk = setCalls([weather("Oslo")], { tools: [tool] });
  expect(await desk.reported(await desk.work("go"))).toBe(
    "Permission denied: No rule allows Weather here. Nobody can be asked. Allow it with --allowedTools Weather.",
  );
  expect(asked).toEqual([]);
});

test("the effect decides: nothing runs unasked but what touches nothing or reads files here", async () => {
  const run = async (
    effect: "none" | "read" | "edit" | "look" | "other",
    more: Parameters<typeof setCalls>[1] & { path?: string } = {},
  ): Promise<string> => {
    const { path, ...options } = more;
    const tool = createTool({
      name: "Touch",
      description: "Does something.",
      input: z.object({ file: z.string().optional() }),
      effect,
      ...(path === undefined ? {} : { paths: () => [path] }),
      execute: () => "done",
    });
    const desk = setCalls([{ call: "Touch", input: path === undefined ? {} : { file: path } }], {
      tools: [tool],
      files: { "src/a.ts": "a", ".env": "A=1" },
      ...options,
    });
    return desk.reported(await desk.work("go"));
  };
  const allowEdit = { allowedTools: ["Edit(src/**)"] };
  expect(await run("none")).toBe("done");
  expect(await run("look")).toMatch(/No rule allows Touch/);
  expect(await run("other")).toMatch(/No rule allows Touch/);
  expect(await run("read")).toMatch(/No rule allows Touch/);
  expect(await run("read", { path: "src/a.ts" })).toBe("done");
  expect(await run("read", { path: "/etc/hosts" })).toMatch(/outside the working directory/);
  expect(await run("read", { path: ".env", disallowedTools: ["Read(.env)"] })).toMatch(
    /'Read\(\.env\)' denies it/,
  );
  expect(await run("edit", { path: "src/a.ts" })).toMatch(/No rule allows Touch/);
  expect(await run("edit", { path: "src/a.ts", ...allowEdit })).toBe("done");
  expect(await run("edit", { path: "b.ts", ...allowEdit })).toMatch(/No rule allows Touch/);
  expect(await run("edit", { path: "b.ts", permissionMode: "acceptEdits", allowedTools: [] })).toBe(
    "done",
  );
  expect(await run("edit", { path: ".git/hooks/x", ...allowEdit })).toMatch(/is protected/);
  const all = { allowedTools: ["Touch"] };
  expect(await run("other", { ...all, permissionMode: "plan" })).toMatch(/only plans/);
  expect(await run("look", { ...all, permissionMode: "plan" })).toBe("done");
  expect(await run("other", { ...all, type: { readOnly: true } })).toMatch(
    /There is no tool 'Touch' here/,
  );
  expect(await run("look", { ...all, type: { readOnly: true } })).toBe("done");
});

test("a call that takes too long is given up, also when the tool does not heed its signal", async () => {
  const clock = new TestClock();
  let started = false;
  const aborted: string[] = [];
  const forever = Promise.withResolvers<string>();
  const { tool } = makeWeather({
    execute: (_: unknown, { signal }: HostToolContext) => {
      started = true;
      signal.addEventListener("abort", () => aborted.push(String(signal.reason)));
      return forever.promise;
    },
  });
  const desk = setCalls([weather("Oslo")], {
    tools: [tool],
    allowedTools: ["Weather"],
    limits: { toolTimeout: 50 },
    clock,
  });
  const id = await desk.work("go");
  await until(() => started);
  clock.advance(50);
  expect(aborted).toHaveLength(1);
  clock.advance(ladder.toolGraceMs);
  expect(await desk.reported(id)).toMatch(
    /^This call of Weather took longer than .*, which is the limit of one call\./,
  );
  forever.resolve("too late");
});

test("whatever goes wrong in a host's tool is a result that the model reads", async () => {
  const failing = (execute: () => unknown, more: object = {}): Promise<string> => {
    const { tool } = makeWeather({ execute: execute as () => string, ...more });
    const desk = setCalls([weather("Oslo")], { tools: [tool], allowedTools: ["Weather"] });
    return desk.work("go").then((id) => desk.reported(id));
  };
  const fail = (message: string) => () => {
    throw new Error(message);
  };
  expect(await failing(fail("No station there."))).toBe("No station there.");
  expect(await failing(() => Promise.reject(new Error("Offline.")))).toBe("Offline.");
  expect(await failing(() => undefined)).toBe(
    "Weather has ended without a result: it returned no text and no content.",
  );
  const throwing = { input: z.object({ city: z.string().refine(fail("A broken schema.")) }) };
  expect(await failing(() => "", throwing)).toBe("A broken schema.");
  const naming = { effect: "read", paths: fail("No such list.") };
  expect(await failing(() => "", naming)).toBe("No such list.");
  expect(await failing(() => "x".repeat(100_007))).toMatch(
    /x\n\[… 7 more characters were left out\]$/,
  );
});

test("input that does not fit a JSON Schema never reaches the tool", async () => {
  const { tool, asked } = makeWeather({
    input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  });
  const desk = setCalls([weather(7)], { tools: [tool], allowedTools: ["Weather"] });
  const id = await desk.work("go");
  expect(await desk.reported(id)).toMatch(/^Invalid input for Weather: city: /);
  expect(asked).toEqual([]);
  expect(desk.of("tool-call-end", id)[0]?.result.is_error).toBe(true);
});

test("a tool learns who calls it and where, and reads the file that was decided on", async () => {
  const seen: unknown[] = [];
  const tool = createTool({
    name: "Peek",
    description: "Reads a file.",
    input: z.object({ file: z.string() }),
    effect: "read",
    paths: ({ file }) => [file],
    execute: ({ file }, { agentId, agentType, cwd, realPath, progress }) => {
      seen.push({ agentId, agentType, cwd });
      progress("reading");
      return { content: readFileSync(realPath(file), "utf8"), data: { file } };
    },
  });
  const desk = setDesk(
    { go: [{ call: "Peek", input: { file: "link" } }, report] },
    { tools: [tool], agents: typeWith(["Peek"]), files: { real: "the text" } },
  );
  symlinkSync(join(desk.cwd, "real"), join(desk.cwd, "link"));
  const id = await desk.work("go");
  expect(await desk.reported(id)).toBe("the text");
  expect(seen).toEqual([{ agentId: id, agentType: "worker", cwd: desk.cwd }]);
  expect(desk.of("tool-call-progress", id)).toMatchObject([{ text: "reading" }]);
  expect(desk.of("tool-call-end", id)).toMatchObject([{ data: { file: "link" } }]);
});

test("definitions choose a host's tool by its name, and a tool chooses who may have it", async () => {
  const tools = [
    makeWeather().tool,
    makeWeather({ name: "Quiet", background: false }).tool,
    makeWeather({ name: "Named", audience: "named" }).tool,
    makeWeather({ name: "Lead", audience: "main" }).tool,
  ];
  const own = new Set(tools.map(({ name }) => name));
  const type = (more: object): Record<string, unknown> => ({
    description: "d",
    prompt: "p",
    ...more,
  });
  const stage = setStage(`turns: [{ reply: "ok" }]`, {
    tools,
    agents: {
      all: type({}),
      listed: type({ tools: ["Read", "Weather", "Named"] }),
      without: type({ disallowedTools: ["Weather"] }),
      behind: type({ background: true }),
    },
  });
  const toolsOf = async (started: Promise<{ id: string }>): Promise<string[]> => {
    const { id } = await started;
    await stage.manager.output(id, { block: true });
    const request = stage.requests.find(({ origin }) => origin.agentId === id);
    return (request?.tools ?? []).map(({ name }) => name).filter((name) => own.has(name));
  };
  const child = (subagent_type: string): Promise<string[]> =>
    toolsOf(stage.manager.spawn({ subagent_type, prompt: "go" }));
  expect(await child("all")).toEqual(["Weather", "Quiet"]);
  expect(await child("listed")).toEqual(["Weather", "Named"]);
  expect(await child("without")).toEqual(["Quiet"]);
  expect(await child("behind")).toEqual(["Weather"]);
  expect(await toolsOf(stage.manager.main({ prompt: "go" }))).toEqual([
    "Weather",
    "Quiet",
    "Named",
    "Lead",
  ]);
});

test("an agent goes on with a host's tool after a resume, if the host still has it", async () => {
  const { tool, asked } = makeWeather();
  const again = `
turns:
  - { turn: 1, reply: "One." }
  - { last: "/again/", repeat: true, reply: [{ call: Weather, input: { city: Rome } }] }
  - { repeat: true, reply: "{{ last }}" }
`;
  const options = { allowedTools: ["Weather"], agents: typeWith(["Read", "Weather"]) };
  const stage = setStage(again, { tools: [tool], ...options });
  const { id } = await stage.manager.spawn({
    subagent_type: "worker",
    prompt: "go",
    allowedTools: ["Weather"],
  });
  await stage.manager.output(id, { block: true });
  await stage.manager.close();
  const reopened = async (tools: HostTool[]): Promise<string> => {
    await using manager = createManager({
      model: createRehearsal(parseScenario(again, "again")),
      cwd: stage.cwd,
      configDir: stage.configDir,
      session: stage.manager.sessionId,
      tools,
      ...options,
    });
    await manager.resume(id, { prompt: "again" });
    return (await manager.output(id, { block: true })).content;
  };
  expect(await reopened([tool])).toBe("It rains in Rome.");
  expect(asked).toEqual(["Rome"]);
  expect(await reopened([])).toMatch(/There is no tool 'Weather' here/);
});

test("secrets in a host's results reach the model and no file", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const { tool } = makeWeather({ execute: () => `token ${secret}` });
  const desk = setDesk(
    { go: [weather("Oslo"), "Done."] },
    { tools: [tool], allowedTools: ["Weather"], agents: typeWith(["Weather"]) },
  );
  const id = await desk.work("go");
  expect(await desk.reported(id)).toBe("Done.");
  expect(JSON.stringify(desk.requests[1]?.messages)).toContain(secret);
  expect(JSON.stringify(desk.events)).not.toContain(secret);
  const { entries } = await desk.manager.transcripts.load(id);
  expect(JSON.stringify(entries)).toContain("token ");
  expect(JSON.stringify(entries)).not.toContain(secret);
});

test("a person hears once which tools of the host an agent in the background would have to ask for", async () => {
  const tools = [
    makeWeather().tool,
    makeWeather({ name: "Rewrite", effect: "edit" }).tool,
    makeWeather({ name: "Almanac", effect: "none" }).tool,
  ];
  const desk = setDesk(
    { go: [weather("Oslo"), report] },
    { tools, agents: typeWith(["Weather", "Rewrite", "Almanac"], { background: true }) },
  );
  const asked: string[] = [];
  desk.manager.inbox.subscribe(({ type, request }) => {
    if (type !== "asked") return;
    asked.push(`${request.tool}: ${request.suggestions.join(", ")}`);
    const scope = request.tool === "Agent" ? "agent" : "once";
    void desk.manager.inbox.answer(request.id, { verdict: "allow", scope });
  });
  expect(await desk.reported(await desk.work("go"))).toBe("It rains in Oslo.");
  expect(asked.filter((one) => one.startsWith("Agent"))).toEqual(["Agent: Weather, Edit"]);
});

test("an explanation of a call knows a host's tool and its effect", async () => {
  const { tool } = makeWeather({ effect: "none" });
  const { tool: other } = makeWeather({ name: "Storm" });
  const stage = setStage(`turns: [{ reply: "ok" }]`, {
    tools: [tool, other],
    agents: typeWith(["*"]),
  });
  const explained = await stage.manager.explainCall("worker", 'Weather({"city": "Oslo"})');
  expect(explained).toMatchObject({ missing: null, decision: { verdict: "allow" } });
  const asked = await stage.manager.explainCall("worker", 'Storm({"city": "Oslo"})');
  expect(asked).toMatchObject({ decision: { verdict: "ask" }, wouldAllow: { rules: ["Storm"] } });
  const { tools } = await stage.manager.explain("worker");
  expect(tools.slice(-2).map(({ tool }) => tool)).toEqual(["Weather", "Storm"]);
});

test.each([
  ["Read", /'Read' is reserved: rules and models use it for Read\. Choose another name\./],
  ["BASH", /'BASH' is reserved: rules and models use it for Bash/],
  ["Task", /'Task' is reserved: rules and models use it for Agent/],
  ["MultiEdit", /'MultiEdit' is reserved/],
  ["mcp__a__b", /is not a valid tool name\. Use letters/],
  ["two words", /is not a valid tool name/],
  ["", /is not a valid tool name/],
  ["x".repeat(65), /is not a valid tool name/],
])("a tool cannot be called %j", (name, expected) => {
  expect(() => makeWeather({ name })).toThrow(
    expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(expected) }),
  );
});

test.each([
  [{ description: " " }, /description is missing/],
  [{ execute: "now" }, /execute must be a function/],
  [
    { effect: "question" },
    /effect 'question' is unknown\. Write one of none, read, edit, look, other/,
  ],
  [{ paths: () => [] }, /paths needs the effect 'read' or 'edit'/],
  [{ input: z.string() }, /input must be z\.object/],
  [{ input: { type: "string" } }, /input must be z\.object/],
  [{ input: undefined }, /input must be z\.object/],
  [{ input: { type: "object", if: {} } }, /a JSON Schema that cannot be checked/],
  [{ input: { type: "object", oneOf: [{ required: ["a"] }] } }, /combines schemas at its top/],
  [{ input: z.object({ at: z.date() }) }, /input cannot be described to a model/],
])("a tool with %j is refused with the remedy", (options, expected) => {
  expect(() => makeWeather(options as never)).toThrow(
    expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(expected) }),
  );
});

test("a manager takes tools that createTool made, and no two of one name", () => {
  const start = (tools: unknown[]): void => {
    setStage(`turns: [{ reply: "ok" }]`, { tools: tools as HostTool[] });
  };
  expect(() => start([{ name: "Weather" }])).toThrow(
    /createManager: tools\.0: must be made with createTool\(/,
  );
  expect(() => start([makeWeather().tool, makeWeather({ name: "WEATHER" }).tool])).toThrow(
    /createManager: tools: two tools are called 'Weather'\. Rename one, or leave it out\. Correct the option\./,
  );
});

import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { Message, ToolResultBlock } from "../../contract/message.ts";
import { textOf, totalTokens, toolUsesOf, userMessage } from "../../contract/message.ts";
import { modelConformance } from "../conformance.ts";
import type { Model, ModelAnswer, ModelDelta, ModelRequest } from "../model.ts";
import { createRehearsal } from "./rehearsal.ts";
import { parseScenario } from "./scenario.ts";

const setup = async (scenario: Parameters<typeof createRehearsal>[0]) => ({
  model: createRehearsal(scenario),
  [Symbol.asyncDispose]: async () => {},
});
for (const { title, run } of modelConformance("rehearsal", setup)) test(title, run);

describe("matching", () => {
  test("ten agents of one type each walk through the same turns", async () => {
    const model = rehearse(`
      - agent: Explore
        reply: [{ call: Grep, input: { for: "{{ prompt }}" } }]
      - agent: Explore
        reply: "{{ prompt }}: {{ result.Grep }}"`);
    const walks = Array.from({ length: 10 }, async (_, index) => {
      const agent = new TestAgent(model, "Explore", `task ${index}`);
      await agent.ask();
      agent.tell({ results: [`found ${index}`] });
      return await agent.say();
    });
    const expected = Array.from({ length: 10 }, (_, index) => `task ${index}: found ${index}`);
    expect(await Promise.all(walks)).toEqual(expected);
  });

  test("the first turn in the file whose conditions all fit answers", async () => {
    const model = rehearse(`
      - { agent: Plan, reply: for Plan }
      - { task: /TESTS/i, turn: 2, reply: second about tests }
      - { task: docs, last: "7 passed", reply: docs passed }
      - { agent: general purpose, task: docs, reply: about docs }
      - { repeat: true, reply: anything else }`);
    const docs = new TestAgent(model, "General-Purpose", "write docs");
    expect(await docs.say()).toBe("about docs");
    docs.tell({ texts: ["now 7 passed"] });
    expect(await docs.say()).toBe("docs passed");
    expect(await docs.say()).toBe("anything else");
    const tests = new TestAgent(model, "general_purpose", "run the tests");
    expect(await tests.say()).toBe("anything else");
    expect(await tests.say()).toBe("second about tests");
    expect(await new TestAgent(model, "PLAN", "run the tests").say()).toBe("for Plan");
  });

  test("last is what was said since the last answer: results, notices and prompts", async () => {
    const model = rehearse(`
      - { turn: 1, reply: [{ call: Bash, input: {} }] }
      - { last: '/^(\\w+) out[^]*agent (\\w+) is done[^]*go on$/', reply: "{{ match.1 }} {{ match.2 }} {{ results.1 }}" }`);
    const agent = new TestAgent(model, "main", "start");
    await agent.ask();
    agent.tell({ results: ["shell out"], notice: "agent a1 is done", texts: ["go on"] });
    expect(await agent.say()).toBe("shell a1 shell out");
    expect(await agent.failure()).toContain("request 3 of agent main");
  });

  test("the task is the first prompt without what the harness put in front of it", async () => {
    const model = rehearse(`
      - { task: secret, reply: wrong }
      - { task: /^fix (.+)$/, reply: "{{ task.1 }} of {{ prompt }}" }`);
    const agent = new TestAgent(model, "main", "fix it", "the secret instructions");
    expect(await agent.say()).toBe("it of fix it");
  });

  test("unused turns are those that no request reached", async () => {
    const model = rehearse(`
      - { agent: main, reply: one }
      - { agent: Plan, reply: two }
      - { agent: main, reply: three, fault: { kind: overload } }`);
    const lines = () => model.unusedTurns().map((turn) => turn.line);
    expect(lines()).toEqual([2, 3, 4]);
    const agent = new TestAgent(model, "main", "go");
    await agent.ask();
    expect(lines()).toEqual([3, 4]);
    await agent.failure();
    expect(lines()).toEqual([3]);
  });
});

describe("a request that no turn fits", () => {
  test("is refused with the scenario, the agent, the request and the remedy", async () => {
    const agent = new TestAgent(rehearse(`- { agent: Plan, reply: a }`), "main", "x ".repeat(200));
    await expect(agent.ask()).rejects.toMatchObject({ code: "unscripted", retryable: false });
    expect(await agent.failure()).toBe(
      `Scenario "test" (test.yaml) has no turn for request 1 of agent main, whose last message begins "${"x ".repeat(60)}…". Add a turn for it: "- agent: main" with a reply.`,
    );
  });

  test("is told when a turn would have fitted again", async () => {
    const agent = new TestAgent(rehearse(`- { reply: once }`), "main", "go");
    await agent.ask();
    expect(await agent.failure()).toContain(
      "The turn in line 2 matches but has already answered this agent",
    );
  });

  test("as is one whose template has nothing to stand for", async () => {
    const model = rehearse(`- { reply: "{{ result.Grep }}" }`);
    const agent = new TestAgent(model, "main", "go");
    await expect(agent.ask()).rejects.toMatchObject({ code: "unscripted" });
    expect(await agent.failure()).toContain("test.yaml:2: {{ result.Grep }}: this agent has 0");
  });
});

describe("asking again", () => {
  test("a retry gets the turn of its request, and each agent meets the fault", async () => {
    const model = rehearse(`
      - { turn: 1, reply: first, fault: { kind: server-error, times: 2 } }
      - { reply: other }`);
    for (const id of ["one", "two"]) {
      const agent = new TestAgent(model, id, "go");
      await expect(agent.ask(1)).rejects.toMatchObject({ code: "server_error" });
      await expect(agent.ask(2)).rejects.toMatchObject({ code: "server_error" });
      expect(await agent.say(3)).toBe("first");
      expect(await agent.say()).toBe("other");
    }
  });

  test("a request that was broken off leaves its turn to the next one", async () => {
    const model = rehearse(`
      - { reply: first answer, fault: { kind: stall } }
      - { reply: second answer }`);
    const agent = new TestAgent(model, "main", "go");
    const controller = new AbortController();
    const stream = model.stream(agent.request(), controller.signal);
    await stream.next();
    controller.abort(new Error("stopped"));
    await expect(stream.next()).rejects.toThrow("stopped");
    expect(await agent.say()).toBe("first answer");
    expect(await agent.say()).toBe("second answer");
  });

  test("after malformed calls the model tries the same turn again, as it was meant", async () => {
    const model = rehearse(`
      - turn: 1
        last: /go to (\\w+)/
        reply: [{ text: "{{ last }}" }, { call: Read, input: { at: "{{ match.1 }}" } }]
        fault: { kind: malformed-call, times: 2 }
      - { turn: 2, reply: second }`);
    const agent = new TestAgent(model, "main", "go to town");
    for (const _ of [1, 2]) {
      const answer = await agent.ask();
      const [call] = toolUsesOf(answer.message);
      expect(call?.input).toEqual({});
      expect(Object.values(answer.malformed)).toEqual(['{"at":"town"']);
      agent.tell({ results: ["that was not valid JSON"] });
    }
    const { message, malformed } = await agent.ask();
    expect(textOf(message.content)).toBe("go to town");
    expect(toolUsesOf(message).map((call) => call.input)).toEqual([{ at: "town" }]);
    expect(malformed).toEqual({});
    expect(await agent.say()).toBe("second");
  });

  test("an agent that is resumed in another process goes on where its conversation ended", async () => {
    const turns = `
      - { reply: [{ call: Grep, input: {} }] }
      - { reply: [{ call: Read, input: {} }] }
      - { turn: 3, reply: the end }`;
    const agent = new TestAgent(rehearse(turns), "main", "go");
    await agent.ask();
    agent.tell({ results: ["a"] });
    await agent.ask();
    agent.tell({ results: ["b"] });
    agent.model = rehearse(turns);
    expect(await agent.say()).toBe("the end");
  });

  test("answers that are not of the script use up none of its turns", async () => {
    const agent = new TestAgent(rehearse(`- { reply: [{ call: Grep, input: {} }] }`), "main", "go");
    await agent.ask();
    agent.tell({ results: ["a"] });
    agent.model = rehearse(`- { turn: 1, reply: scripted }`);
    expect(await agent.say()).toBe("scripted");
  });
});

describe("answers", () => {
  test("say in every place that they are scripted", async () => {
    const model = rehearse(`- { reply: a }`);
    expect([model.provider, model.scripted]).toEqual(["rehearsal", true]);
    const answer = await new TestAgent(model, "main", "go").ask();
    expect(answer.model).toBe("rehearsal/a-model");
  });

  test("have ids like a provider's that never repeat, in one model or another", async () => {
    const turns = `- { reply: [{ call: A, input: {} }, { call: B, input: {} }] }`;
    const ids: string[] = [];
    for (let index = 0; index < 50; index += 1) {
      const answer = await new TestAgent(rehearse(turns), "main", "go").ask();
      ids.push(answer.id, answer.requestId, ...toolUsesOf(answer.message).map(({ id }) => id));
    }
    const form = /^(msg|req|toolu)_01[A-Za-z0-9]{22}$/;
    expect(ids.filter((id) => !form.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(200);
  });

  test("estimate their usage: what the agent sent before is read from the cache", async () => {
    const model = rehearse(`- { repeat: true, reply: "${"word ".repeat(20)}" }`);
    const agent = new TestAgent(model, "main", "go ".repeat(100));
    const first = await agent.ask();
    expect(first.usage).toMatchObject({ input: 4, cacheRead: 0 });
    expect(first.usage.cacheWrite).toBeGreaterThan(75);
    expect(first.usage.output).toBeGreaterThanOrEqual(25);
    const { usage } = await agent.ask();
    expect(usage.cacheRead).toBe(first.usage.input + first.usage.cacheWrite);
    expect(usage.cacheWrite).toBeGreaterThan(0);
    expect(totalTokens(usage)).toBeLessThan(2 * totalTokens(first.usage));
    const other = await new TestAgent(model, "main", "go ".repeat(100)).ask();
    expect(other.usage).toEqual(first.usage);
  });
});

describe("streaming", () => {
  test("an abort between two words ends it, and no word follows", async () => {
    const agent = new TestAgent(rehearse(`- { reply: one two three }`), "main", "go");
    const controller = new AbortController();
    const stream = agent.model.stream(agent.request(), controller.signal);
    expect(await stream.next()).toEqual({ done: false, value: { type: "text", text: "one " } });
    controller.abort("enough");
    await expect(stream.next()).rejects.toBe("enough");
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test("a request that was aborted before it began reaches no turn", async () => {
    const model = rehearse(`- { reply: [] }`);
    const request = new TestAgent(model, "main", "go").request();
    await expect(model.stream(request, AbortSignal.abort("enough")).next()).rejects.toBe("enough");
    expect(model.unusedTurns()).toHaveLength(1);
  });

  test("an abort after the last word still wins over the answer", async () => {
    const agent = new TestAgent(rehearse(`- { reply: one }`), "main", "go");
    const controller = new AbortController();
    const stream = agent.model.stream(agent.request(), controller.signal);
    await stream.next();
    controller.abort("enough");
    await expect(stream.next()).rejects.toBe("enough");
    expect(await agent.say()).toBe("one");
  });

  test.each(["{ text: one two }", "{ call: Read, input: { path: some/where } }"])(
    "an abort ends the slow %s at once and leaves no listener",
    async (block) => {
      const agent = new TestAgent(rehearse(`- { reply: [${block}] }`, 0.0001), "main", "go");
      const controller = new AbortController();
      const next = agent.model.stream(agent.request(), controller.signal).next();
      controller.abort("enough");
      await expect(next).rejects.toBe("enough");
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    },
  );

  test("an abort leaves no timer that would keep a process alive", async () => {
    const moduleUrl = (name: string): string => JSON.stringify(new URL(name, import.meta.url));
    const program = `
      import { createRehearsal } from ${moduleUrl("./rehearsal.ts")};
      import { parseScenario } from ${moduleUrl("./scenario.ts")};
      const scenario = parseScenario("speed: 0.0001\\nturns: [{ reply: one two }]", "x.yaml");
      const controller = new AbortController();
      const origin = { agentId: "a", agentType: "main", turn: 1, attempt: 1 };
      const request = { model: "m", system: "", tools: [], messages: [], origin };
      const next = createRehearsal(scenario).stream(request, controller.signal).next();
      setImmediate(() => controller.abort("enough"));
      await next.catch((reason) => console.log(reason));`;
    const flags = ["--input-type=module", "--eval", program];
    const { stdout } = await promisify(execFile)(process.execPath, flags, { timeout: 30_000 });
    expect(stdout).toBe("enough\n");
  });

  test("speed changes nothing about what arrives", async () => {
    const turns = `- { reply: [{ thinking: a b }, { text: "c  d\\n" }, { call: Read, input: {} }] }`;
    const expected = [
      { type: "thinking", text: "a " },
      { type: "thinking", text: "b" },
      { type: "text", text: "c  " },
      { type: "text", text: "d\n" },
    ];
    for (const speed of [0, 100, 1e9]) {
      const agent = new TestAgent(rehearse(turns, speed), "main", "go");
      const answer = await agent.ask();
      expect(agent.deltas).toEqual(expected);
      expect(answer.message.content).toHaveLength(3);
    }
  });
});

test("the examples of the manual are valid scenarios", async () => {
  const manual = await readFile(new URL("../../../docs/rehearsal.md", import.meta.url), "utf8");
  const examples = [...manual.matchAll(/```yaml\n(.*?)```/gs)].map(([, example]) => example ?? "");
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) {
    expect(parseScenario(example, "rehearsal.md").turns.length).toBeGreaterThan(0);
  }
});

function rehearse(turns: string, speed = 0) {
  const list = turns.startsWith("\n") ? turns.replaceAll("\n      ", "\n") : `\n${turns}`;
  return createRehearsal(
    parseScenario(`turns:${list}\nname: test\nspeed: ${speed}\n`, "test.yaml"),
  );
}

/** An agent's side of the conversation: what it was told, and what the model answered. */
class TestAgent {
  static #count = 0;
  readonly #id = `agent-${(TestAgent.#count += 1)}`;
  readonly #type: string;
  readonly #messages: Message[];
  deltas: ModelDelta[] = [];
  model: Model;

  constructor(model: Model, type: string, prompt: string, instructions?: string) {
    this.model = model;
    this.#type = type;
    const attachments =
      instructions === undefined ? [] : [{ type: "instructions" as const, text: instructions }];
    this.#messages = [userMessage({ attachments, texts: [prompt] })];
  }

  request(attempt = 1): ModelRequest {
    return {
      model: "a-model",
      system: "You are an agent.",
      tools: [],
      messages: [...this.#messages],
      origin: { agentId: this.#id, agentType: this.#type, turn: 1, attempt },
    };
  }

  /** Asks for an answer and adds it to the conversation. */
  async ask(attempt = 1): Promise<ModelAnswer> {
    this.deltas = [];
    const stream = this.model.stream(this.request(attempt), new AbortController().signal);
    for (;;) {
      const step = await stream.next();
      if (step.done === true) {
        this.#messages.push(step.value.message);
        return step.value;
      }
      this.deltas.push(step.value);
    }
  }

  async say(attempt = 1): Promise<string> {
    return textOf((await this.ask(attempt)).message.content);
  }

  async failure(): Promise<string> {
    return await this.ask().then(
      () => "no failure",
      (error: unknown) => String(error).replace("ModelError: ", ""),
    );
  }

  /** The harness's input to an agent: results of its last calls, a notice, a prompt. */
  tell(said: { results?: string[]; notice?: string; texts?: string[] }): void {
    const last = this.#messages.at(-1);
    const calls = last?.role === "assistant" ? toolUsesOf(last) : [];
    const results = (said.results ?? []).map((content, index): ToolResultBlock => {
      return { type: "tool_result", tool_use_id: calls[index]?.id ?? "none", content };
    });
    const attachments =
      said.notice === undefined ? [] : [{ type: "notice" as const, text: said.notice }];
    this.#messages.push(userMessage({ results, attachments, texts: said.texts ?? [] }));
  }
}

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mainAgentId } from "../../contract/ids.ts";
import { configDirectory, metaText } from "../../transcript/session-fixture.ts";
import { agentFinder, findAgent } from "./find-agent.ts";

const session = "3f2b1c9a-aaaa-4bbb-8ccc-dddddddddddd";
const other = "3f2b0000-aaaa-4bbb-8ccc-dddddddddddd";
let config = "";

beforeEach(() => {
  config = configDirectory();
  vi.stubEnv("CLAUDE_CONFIG_DIR", config);
});
afterEach(() => void vi.unstubAllEnvs());

function write(sessionId: string, path: string, text: string): void {
  const file = join(config, "projects/p", sessionId, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function addChild(id: string, agent: Parameters<typeof metaText>[2] = {}): void {
  write(session, `subagents/agent-${id}.meta.json`, metaText(session, id, agent));
}

function addMain(sessionId: string, id: string = mainAgentId(sessionId)): string {
  write(sessionId, "main.meta.json", metaText(sessionId, id));
  return id;
}

const idOf = async (text: string): Promise<string> => (await findAgent(text)).record.id;

test("an agent is found by its id, by the beginning of its id and by its name", async () => {
  addChild("a1234567", { name: "fixer" });
  addChild("a1299999");
  expect(await idOf("a1234567")).toBe("a1234567");
  expect(await idOf("a1234")).toBe("a1234567");
  expect(await idOf("fixer")).toBe("a1234567");
});

test("a main agent is found by what its session is called", async () => {
  const id = addMain(session);
  expect(id).toBe("a3f2b1c9aaaaa4bbb");
  expect(await idOf(id)).toBe(id);
  expect(await idOf("a3f2b1")).toBe(id);
});

test("a main agent whose session does not tell its id is found by its id, and not by that of another", async () => {
  addMain(session, "a999999999");
  expect(await idOf("a999999999")).toBe("a999999999");
  expect(await idOf("a9999")).toBe("a999999999");
  await expect(findAgent("a3f2b1")).rejects.toMatchObject({ code: "unknown_task" });
});

test("the beginning of several ids names none of them, unless one agent is called so", async () => {
  addMain(session);
  addMain(other);
  await expect(findAgent("a3f2b")).rejects.toMatchObject({
    code: "ambiguous_task",
    message: expect.stringMatching(
      /^'a3f2b' means 2 agents: a3f2b\w+, a3f2b\w+\. Write more of the id\.$/,
    ) as string,
  });
  addChild("b1", { name: "a3f2b" });
  expect(await idOf("a3f2b")).toBe("b1");
});

test("a short text is a name before it is the beginning of an id", async () => {
  addChild("a1234567");
  expect(await idOf("a1")).toBe("a1234567");
  addChild("b7654321", { name: "a1" });
  expect(await idOf("a1")).toBe("b7654321");
});

test("an id wins over the same text as a name, and over longer ids", async () => {
  addChild("a1234");
  addChild("a12345678");
  addChild("b1", { name: "a1234" });
  expect(await idOf("a1234")).toBe("a1234");
});

test("files of other programs are no agents", async () => {
  write(session, "subagents/agent-a1234567.meta.json", '{"agentType":"Explore"}');
  write(session, "subagents/agent-a1299999.meta.json", "{");
  for (const text of ["a1234567", "a12", ""])
    await expect(findAgent(text)).rejects.toMatchObject({
      code: "unknown_task",
      message: `There is no agent '${text}'. 'retinue ps -a' lists them.`,
    });
  addChild("a1234568");
  expect(await idOf("a1234")).toBe("a1234568");
});

test("one listing serves several texts: an agent that comes later is not in it", async () => {
  addChild("a1234567");
  const find = agentFinder();
  expect((await find("a1234567")).record.id).toBe("a1234567");
  addChild("a7654321");
  await expect(find("a7654321")).rejects.toMatchObject({ code: "unknown_task" });
  expect(await idOf("a7654321")).toBe("a7654321");
});

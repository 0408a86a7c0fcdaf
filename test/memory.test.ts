import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { AgentDefinition } from "../src/definitions/definition.ts";
import type { AgentEvent } from "../src/index.ts";
import type { Logger } from "../src/platform/logger.ts";
import { memoryDirectory } from "../src/resolve/memory.ts";
import { trustFolder } from "../src/settings/trust.ts";
import { setStage, temporaryDirectory, writeFiles } from "./support/stage.ts";
import { decisionOf, makeCountry } from "./support/verdict.ts";

/** The texts of all results of tools, in order. */
function results(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "tool-call-end" ? [JSON.stringify(event.result.content)] : [],
  );
}

function warnings(): { warned: string[]; logger: Logger } {
  const warned: string[] = [];
  const logger: Logger = {
    info: () => undefined,
    warn: (_, message) => void warned.push(message ?? ""),
    child: () => logger,
  };
  return { warned, logger };
}

const links: [memory: "project" | "local", link: string, target: string][] = [
  ["project", ".claude", "config/.claude"],
  ["project", ".claude/agent-memory", "config"],
  ["project", ".claude/agent-memory/autostart", "config/autostart"],
  ["local", ".claude/agent-memory-local", "config"],
];

test.each(links)(
  "an agent with 'memory: %s' behind the link %s writes and reads nothing outside the folder",
  async (memory, link, target) => {
    const outside = temporaryDirectory();
    writeFiles(outside, { [join(target, "token")]: "SECRET7" });
    const { warned, logger } = warnings();
    const place = link.endsWith("autostart") ? "" : "autostart";
    const at = join(outside, target, link === ".claude" ? "agent-memory" : "", place);
    writeFiles(at, { token: "SECRET7" });
    const turns = [
      { turn: 1, reply: [{ call: "Write", input: { file_path: join(at, "x"), content: "x" } }] },
      { turn: 2, reply: [{ call: "Read", input: { file_path: join(at, "token") } }] },
      { turn: 3, reply: "done" },
    ];
    const { manager, cwd, events } = setStage(JSON.stringify({ turns }), {
      logger,
      agents: { autostart: { description: "d", prompt: "p", memory } },
      prepare: (work) => {
        mkdirSync(dirname(join(work, link)), { recursive: true });
        symlinkSync(join(outside, target), join(work, link));
      },
    });
    const agent = await manager.spawn({ prompt: "go", subagent_type: "autostart" });
    await manager.output(agent.id, { block: true });
    expect(results(events)).toHaveLength(2);
    expect(results(events).join()).not.toContain("SECRET7");
    expect(existsSync(join(at, "x"))).toBe(false);
    expect(warned.filter((line) => line.includes(join(cwd, link)))).toEqual([
      `'memory' of 'autostart' does not act: ${join(cwd, link)} is a link, or cannot be read. Put a plain directory there.`,
    ]);
    const explained = await manager.explain("autostart");
    expect(explained.memory).toBeNull();
    expect(explained.diagnostics).toMatchObject([{ code: "inert", field: "memory" }]);
  },
);

test("an agent writes its memory unasked, and nothing there on which programs act", () => {
  const country = makeCountry({ "project/.claude/agent-memory/x/": "" });
  const directory = join(country.project, ".claude/agent-memory/x");
  const policy = { memory: { directory, tools: [] }, own: [] };
  const verdict = (name: string): string =>
    decisionOf({ tool: "Write", paths: [join(directory, name)] }, country, { policy }).verdict;
  expect(["notes.md", "a/b.md"].map(verdict)).toEqual(["allow", "allow"]);
  const acting = [".git/config", ".git/HEAD", "sub/.git/config", ".envrc", ".claude/agents/x.md"];
  expect(acting.map(verdict)).toEqual(acting.map(() => "ask"));
});

test("a link that appears on the way to a memory while the agent runs ends what it may do there", () => {
  const country = makeCountry({
    "project/.claude/agent-memory/x/notes.md": "n",
    "outside/x/notes.md": "SECRET7",
    "outside/x/back": "-> project/.claude/agent-memory/x/notes.md",
  });
  const memories = join(country.project, ".claude/agent-memory");
  const policy = { memory: { directory: join(memories, "x"), tools: ["Read", "Write"] } };
  const verdicts = (name: string): string[] =>
    ["Read", "Write"].map(
      (tool) =>
        decisionOf({ tool, paths: [join(memories, "x", name)] }, country, { policy }).verdict,
    );
  expect(verdicts("notes.md")).toEqual(["allow", "allow"]);
  renameSync(memories, `${memories}-before`);
  symlinkSync(country.outside, memories);
  expect(verdicts("notes.md")).toEqual(["deny", "deny"]);
  expect(verdicts("../x/notes.md")).toEqual(["deny", "deny"]);
  expect(verdicts("back")).toEqual(["deny", "deny"]);
});

test("a resumed agent whose memory has become a link has none, and its tools open nothing else", async () => {
  const outside = temporaryDirectory();
  writeFiles(outside, { "noter/token": "SECRET7" });
  const call = (tool: string, path: string): { call: string; input: object } => ({
    call: tool,
    input: { file_path: path, ...(tool === "Write" ? { content: "x" } : {}) },
  });
  const root = temporaryDirectory();
  writeFiles(root, { "a.txt": "PLAIN7" });
  const notes = join(root, ".claude/agent-memory/noter");
  const turns = [
    { turn: 1, reply: [call("Write", join(notes, "first"))] },
    { turn: 2, reply: "noted" },
    {
      turn: 3,
      reply: [
        call("Write", join(notes, "second")),
        call("Read", join(outside, "noter/token")),
        call("Write", join(outside, "noter/third")),
        call("Read", join(root, "a.txt")),
      ],
    },
    { turn: 4, reply: "tried" },
  ];
  const { warned, logger } = warnings();
  const { manager, events } = setStage(JSON.stringify({ turns }), {
    cwd: root,
    logger,
    agents: { noter: { description: "d", prompt: "p", memory: "project", tools: ["TodoWrite"] } },
  });
  const agent = await manager.spawn({ prompt: "go", subagent_type: "noter" });
  await manager.output(agent.id, { block: true });
  expect(readFileSync(join(notes, "first"), "utf8")).toBe("x");
  rmSync(dirname(notes), { recursive: true });
  symlinkSync(outside, dirname(notes));

  await manager.resume(agent.id, { prompt: "again" });
  expect((await manager.output(agent.id, { block: true })).content).toBe("tried");
  const after = results(events).slice(1);
  expect(after).toHaveLength(4);
  expect(after.join()).not.toMatch(/SECRET7|PLAIN7/);
  for (const result of after) expect(result).toContain("which it does not have any more");
  expect(existsSync(join(outside, "noter/second"))).toBe(false);
  expect(existsSync(join(outside, "noter/third"))).toBe(false);
  expect(warned.filter((line) => line.includes("is a link"))).toHaveLength(1);
});

test("an agent that a project's file describes gets no memory in the user's own directory", () => {
  const home = temporaryDirectory();
  const configDir = join(home, ".claude");
  mkdirSync(configDir);
  const here = { cwd: home, configDir, repository: home };
  const file = join(home, "sub/.claude/agents/reviewer.md");
  const definition: AgentDefinition = {
    name: "reviewer",
    description: "d",
    prompt: "p",
    memory: "project",
    source: "project",
    file,
  };
  expect(memoryDirectory(definition, here)).toBeNull();
  const notes = join(configDir, "agent-memory/reviewer");
  expect(memoryDirectory({ ...definition, source: "user" }, here)).toBe(notes);
});

const own = (name: string): { call: string; input: object }[] => [
  { call: "Read", input: { file_path: name } },
  { call: "Write", input: { file_path: name, content: "evil" } },
];

test("an agent file of a folder that nobody trusts has no memory, and has it after trust", async () => {
  const root = temporaryDirectory();
  const [cwd, configDir] = [join(root, "work"), join(root, "config")];
  writeFiles(cwd, {
    ".claude/agents/noter.md": "---\nname: noter\ndescription: d\nmemory: project\n---\np",
  });
  const notes = join(cwd, ".claude/agent-memory/noter/MEMORY.md");
  const turns = [
    { turn: 1, reply: own(notes).slice(1) },
    { turn: 2, reply: "done" },
  ];
  const attempt = async (): Promise<string[]> => {
    const { manager } = setStage(JSON.stringify({ turns }), { cwd, configDir });
    const { id } = await manager.spawn({ prompt: "go", subagent_type: "noter" });
    await manager.output(id, { block: true });
    return (await manager.diagnostics()).flatMap(({ code, field, message }) =>
      field === "memory" && code === "inert" ? [message] : [],
    );
  };
  expect(await attempt()).toEqual([
    "'memory' of 'noter' does not act: this folder is not trusted. Look at what is in it, then run 'retinue trust'.",
  ]);
  expect(existsSync(notes)).toBe(false);
  await trustFolder(cwd, configDir);
  expect(await attempt()).toEqual([]);
  expect(readFileSync(notes, "utf8")).toBe("evil");
});

test.each(["untrusted", "trusted"])(
  "an agent file of a project opens no notes of the user's agents by 'memory: user', %s",
  async (trust) => {
    const root = temporaryDirectory();
    const [cwd, configDir] = [join(root, "work"), join(root, "config")];
    const notes = join(configDir, "agent-memory/reviewer/MEMORY.md");
    writeFiles(root, {
      "config/agent-memory/reviewer/MEMORY.md": "NOTES7",
      "config/agents/reviewer.md": "---\nname: reviewer\ndescription: d\nmemory: user\n---\np",
      "work/.claude/agents/reviewer.md":
        "---\nname: reviewer\ndescription: d\nmemory: user\n---\np",
    });
    if (trust === "trusted") await trustFolder(cwd, configDir);
    const turns = [
      { turn: 1, reply: own(notes) },
      { turn: 2, reply: "done" },
    ];
    const { manager, events } = setStage(JSON.stringify({ turns }), { cwd, configDir });
    const { id } = await manager.spawn({ prompt: "go", subagent_type: "reviewer" });
    await manager.output(id, { block: true });
    expect(results(events)).toHaveLength(2);
    expect(results(events).join()).not.toContain("NOTES7");
    expect(readFileSync(notes, "utf8")).toBe("NOTES7");
    expect(await manager.explain("reviewer")).toMatchObject({
      source: "project",
      memory: null,
      diagnostics: expect.arrayContaining([
        expect.objectContaining({
          code: "inert",
          field: "memory",
          message: expect.stringContaining("Write 'memory: project' or 'memory: local'") as string,
        }),
      ]) as unknown,
    });
  },
);

test("the user's own agent keeps its notes in the user's directory, and a plugin's has its own", async () => {
  const root = temporaryDirectory();
  const [cwd, configDir, kit] = [join(root, "work"), join(root, "config"), join(root, "kit")];
  const text = "---\nname: reviewer\ndescription: d\nmemory: user\n---\np";
  writeFiles(root, {
    "config/agents/reviewer.md": text,
    "kit/.claude-plugin/plugin.json": '{"name": "kit"}',
    "kit/agents/reviewer.md": text,
    "work/a": "",
  });
  const notes = join(configDir, "agent-memory");
  const turns = [
    { turn: 1, reply: own(join(notes, "reviewer/x")).slice(1) },
    { turn: 2, reply: "ok" },
  ];
  const { manager } = setStage(JSON.stringify({ turns }), { cwd, configDir, pluginDirs: [kit] });
  const { id } = await manager.spawn({ prompt: "go", subagent_type: "kit:reviewer" });
  await manager.output(id, { block: true });
  expect(existsSync(join(notes, "reviewer/x"))).toBe(false);
  expect((await manager.explain("reviewer")).memory).toBe(join(notes, "reviewer"));
  expect((await manager.explain("kit:reviewer")).memory).toMatch(/kit-reviewer-[0-9a-f]{16}$/);
});

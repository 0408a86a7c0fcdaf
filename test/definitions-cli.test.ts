import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { displayWidth } from "../src/cli/terminal/width.ts";
import { agent, project, shop, user } from "./support/repository.ts";
import { setStage, temporaryDirectory, writeFiles } from "./support/stage.ts";
import { bin } from "./support/bin.ts";

test("agents ls --json has the fields of every type", () => {
  const { json, cwd, retinue } = shop(project, user);
  const listed = json("agents", "ls", "--json") as Record<string, unknown>[];
  const names = listed.map(({ name }) => String(name));
  expect(names).toEqual(names.toSorted());
  expect(listed.filter(({ source }) => source !== "built-in").map(({ name }) => name)).toEqual([
    "reviewer",
  ]);
  const file = join(cwd, ".claude/agents/reviewer.md");
  const one = listed.find(({ name }) => name === "reviewer");
  expect(one).toMatchObject({
    name: "reviewer",
    description: "Reviews code",
    source: "project",
    file,
    priority: 30,
    tools: ["Read", "Grep", "Nothing"],
    disallowedTools: ["Grep"],
    model: "haiku",
    passedOver: null,
  });
  const told = one?.["diagnostics"] as { file: string; field: string; code: string }[];
  expect(told.every((each) => each.file === file)).toBe(true);
  expect(told.filter(({ code }) => code === "inert").map(({ field }) => field)).toEqual([
    "hooks",
    "mcpServers",
    "memory",
  ]);
  expect(listed.find(({ name }) => name === "general-purpose")).toMatchObject({
    source: "built-in",
    priority: 0,
    tools: "*",
    model: "inherit",
    diagnostics: [],
  });
  const text = retinue("agents", "ls");
  expect(text.stdout).toMatch(/^NAME +SOURCE +MODEL +DESCRIPTION\n/);
  expect(text.stdout).toMatch(/^reviewer +project +haiku +Reviews code$/m);
  expect(text.stderr).toMatch(/broken\.md:3:1: error: 'description' must be/);
});

test("agents ls --all also has what is shadowed and what is not loaded", () => {
  const { json, cwd, retinue } = shop(project, user);
  const all = json("agents", "ls", "--all", "--json") as Record<string, unknown>[];
  const own = all.filter(({ source }) => source !== "built-in");
  const winner = join(cwd, ".claude/agents/reviewer.md");
  expect(
    own.map(({ name, source, passedOver, rejected }) => [name, source, passedOver, rejected]),
  ).toEqual([
    ["reviewer", "project", null, undefined],
    ["reviewer", "project", `shadowed by ${winner} (project 30)`, undefined],
    ["reviewer", "user", `shadowed by ${winner} (project 30)`, undefined],
    ["broken", undefined, undefined, true],
    [null, undefined, undefined, true],
  ]);
  expect(own.at(-1)).toMatchObject({
    file: join(cwd, ".claude/agents/notes.md"),
    diagnostics: [{ code: "unreadable" }],
  });
  expect(retinue("agents", "ls", "--all").stdout).toMatch(
    /^broken +- +- +not loaded: 'description' must/m,
  );
});

test("agents show prints a file that reads back as the same agent", () => {
  const { retinue, json, cwd } = shop(project);
  const { code, stdout, stderr } = retinue("agents", "show", "Reviewer");
  expect(code).toBe(0);
  expect(stderr).toBe(`retinue: ${join(cwd, ".claude/agents/reviewer.md")} (project 30)\n`);
  expect(stdout).toMatch(
    /^---\nname: reviewer\ndescription: Reviews code\ntools: Read, Grep, Nothing\n/,
  );
  const again = shop({ ".claude/agents/reviewer.md": stdout });
  const { file: _first, ...first } = json("agents", "show", "reviewer", "--json") as Record<
    string,
    unknown
  >;
  const { file: _second, ...second } = again.json("agents", "show", "reviewer", "--json") as Record<
    string,
    unknown
  >;
  expect(second).toEqual(first);
  expect(retinue("agents", "show", "nobody").code).toBe(3);
});

test("agents new writes a file that loads, and never over one that is there", () => {
  const { retinue, json, cwd, config } = shop();
  const made = retinue(
    "agents",
    "new",
    "helper",
    "--tools",
    "Read, Grep",
    "--model",
    "opus",
    "--description",
    'Says "yes": often',
  );
  const file = join(cwd, ".claude/agents/helper.md");
  expect(made).toMatchObject({ code: 0, stdout: `${file}\n` });
  const before = readFileSync(file, "utf8");
  expect(json("agents", "show", "helper", "--json")).toMatchObject({
    description: 'Says "yes": often',
    tools: ["Read", "Grep"],
    model: "opus",
    file,
  });
  const second = retinue("agents", "new", "helper", "--model", "haiku");
  expect(second).toEqual({
    code: 1,
    stdout: "",
    stderr: `retinue: ${file} already exists and was not changed. Choose another name, or edit the file.\n`,
  });
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(retinue("agents", "new", "../Bad Name")).toMatchObject({ code: 2, stdout: "" });
  expect(retinue("agents", "new", "helper", "--user").stdout).toBe(
    `${join(config, "agents/helper.md")}\n`,
  );
});

test("explain tells on one screen what would become of a request, and why", () => {
  const { retinue, cwd, json } = shop(project, user);
  expect(retinue("trust").code).toBe(0);
  const { code, stdout } = retinue("explain", "reviewer");
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(50);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(100);
  const flat = stdout.replaceAll(/\s+/g, " ");
  for (const part of [
    `file ${cwd}/.claude/agents/reviewer.md (project 30)`,
    `instead of ${cwd}/.claude/agents/z/reviewer.md: shadowed by ${cwd}/.claude/agents/reviewer.md`,
    "(definition) permissions default (parent)",
    "+ Read (named in 'tools')",
    "- Grep (named in 'disallowedTools')",
    "+ Edit, Write (added by 'memory', for its directory only)",
    "- Nothing (no such tool here)",
    "MCP servers tracker hooks Stop skills style",
    `memory ${cwd}/.claude/agent-memory/reviewer`,
  ])
    expect(flat).toContain(part);
  expect(flat).toMatch(/model claude-haiku-\S+ \(definition\)/);
  expect(flat).toMatch(/prompt about \d+ tokens: tools \d+, system \d+, attachments \d+/);
  expect(json("explain", "reviewer", "--json")).toMatchObject({
    type: "reviewer",
    priority: 30,
    passedOver: [{ source: "project" }, { source: "user" }],
    model: { from: "definition" },
    refusal: null,
    trusted: true,
  });
});

test("explain keeps to its columns whatever is written, and says why an agent cannot start", () => {
  const wide = "何でもする係".repeat(200);
  const { retinue, json } = shop({
    ".claude/agents/a.md": agent(`name: a\ndescription: ${wide}\ntools: read, bash`),
    ".claude/agents/b.md": agent(
      `name: b\ndescription: ${"😀 ".repeat(300)}\n${Array.from({ length: 60 }, (_, at) => `toolz${at}: 1`).join("\n")}`,
    ),
  });
  for (const type of ["a", "b"]) {
    const lines = retinue("explain", type).stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(50);
    expect(lines.filter((line) => displayWidth(line) > 100)).toEqual([]);
  }
  expect(retinue("explain", "a").stdout).toMatch(
    /tools +Agent type 'a' is left without tools \(read: no such tool/,
  );
  expect(json("explain", "a", "--json")).toMatchObject({
    refusal: expect.stringContaining("Correct its 'tools' list") as string,
  });
});

test("explain of an unknown type suggests what was meant, and a file that is broken is named", () => {
  const { retinue, cwd } = shop(project);
  expect(retinue("explain", "reviewr")).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(
      /^retinue: Agent type 'reviewr' not found\. Did you mean 'reviewer'\? Available agents: /,
    ) as string,
  });
  expect(retinue("explain", "broken").stderr).toContain(
    `${join(cwd, ".claude/agents/broken.md")} was not loaded: 'description'`,
  );
});

test("plugins, lenient reading and settings can be given on the command line", () => {
  const { json, retinue, cwd } = shop({
    "kit/.claude-plugin/plugin.json": '{"name": "kit"}',
    "kit/agents/sub/tester.md": agent("name: tester\ndescription: d"),
    ".claude/agents/bom.md": `\uFEFF${agent("name: bom\ndescription: d")}`,
  });
  const names = (...args: string[]): unknown[] =>
    (json("agents", "ls", "--json", ...args) as { name: string; source: string }[])
      .filter(({ source }) => source !== "built-in")
      .map(({ name }) => name);
  expect(names()).toEqual([]);
  expect(names("--plugin-dir", "kit")).toEqual(["kit:sub:tester"]);
  expect(names("--lenient", "--plugin-dir", join(cwd, "kit"))).toEqual(["bom", "kit:sub:tester"]);
  expect(retinue("explain", "kit:sub:tester", "--plugin-dir", "kit").stdout).toMatch(
    /\(plugin 10\)/,
  );
  const deny = JSON.stringify({
    agents: { lenient: true },
    permissions: { deny: ["Agent(Explore)", "Bash"] },
  });
  expect(names("--settings", deny)).toEqual(["bom"]);
  writeFiles(cwd, { "s.json": deny });
  for (const settings of [deny, "s.json"]) {
    expect(retinue("explain", "Explore", "--settings", settings)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("denied by 'Agent(Explore)' in permissions.deny") as string,
    });
    expect(retinue("explain", "bom", "--settings", settings).stdout).toMatch(
      /- Bash \(denied by 'Bash' in permissions\.deny\)/,
    );
  }
  expect(retinue("agents", "ls", "--settings", "[]").code).toBe(2);
});

test("a request finds its type whatever the case and separators", async () => {
  const { manager } = setStage("turns: [{ reply: done, repeat: true }]", {
    files: { ".claude/agents/a.md": agent("name: code-reviewer\ndescription: d") },
  });
  for (const subagent_type of ["code-reviewer", "Code Reviewer", "code_reviewer", "CODEREVIEWER"]) {
    const row = await manager.spawn({ description: "d", prompt: "p", subagent_type });
    expect(row.type).toBe("code-reviewer");
  }
});

test("explain keeps to one screen in the packaged demo, for every type", () => {
  const demo = fileURLToPath(new URL("../demo/repo", import.meta.url));
  const env = { ...process.env, CLAUDE_CONFIG_DIR: temporaryDirectory() };
  const explain = (type: string): string[] =>
    execFileSync(process.execPath, [bin, "explain", type], { cwd: demo, env, encoding: "utf8" })
      .trimEnd()
      .split("\n");
  for (const type of ["general-purpose", "Explore", "Plan", "Verification"]) {
    const lines = explain(type);
    expect(lines.length).toBeLessThanOrEqual(50);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    for (const row of [
      "file",
      "model",
      "tools",
      "hooks",
      "MCP servers",
      "memory",
      "skills",
      "prompt",
    ])
      expect(lines.some((line) => line.startsWith(row))).toBe(true);
  }
});

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { trustFolder } from "../src/settings/trust.ts";
import { setStage, temporaryDirectory, writeFiles, type Stage } from "./support/stage.ts";

const agent = (name: string, fields = ""): string =>
  `---\nname: ${name}\ndescription: d\n${fields}---\nYou are ${name}.\n`;
const quiet = "turns: [{ reply: ok, repeat: true }]";
const toolCalls = `
turns:
  - reply:
      - { call: Bash, input: { command: "touch made; echo value:$FROM_SETTINGS" } }
  - reply:
      - { call: Read, input: { file_path: "{{cwd}}/.env" } }
  - reply:
      - { call: Grep, input: { pattern: secret, output_mode: content } }
  - reply:
      - { call: Read, input: { file_path: "{{cwd}}/open.txt" } }
  - reply: done
`;

/** What a tool answered, by tool, in order. */
async function answers(stage: Stage): Promise<string[]> {
  const main = await stage.manager.main({ prompt: "go" });
  await stage.manager.output(main.id, { block: true });
  await stage.manager.close();
  return stage.events.flatMap((event) =>
    event.type === "tool-call-end" ? [JSON.stringify(event.result.content)] : [],
  );
}

function scenario(cwd: string): string {
  return toolCalls.replaceAll("{{cwd}}", cwd);
}

const files = {
  ".env": "secret=1\n",
  "open.txt": "secret in the open\n",
  ".claude/settings.json": JSON.stringify({
    env: { FROM_SETTINGS: "here" },
    permissions: { allow: ["Bash"], deny: ["Read(./.env)"] },
  }),
};

test("before trust a project's settings only take away; after it they act", async () => {
  const cwd = temporaryDirectory();
  writeFiles(cwd, files);
  const configDir = temporaryDirectory();
  const stranger = await answers(setStage(scenario(cwd), { cwd, configDir }));
  expect(stranger[0]).toContain("needs approval: no rule allows it");
  expect(stranger[1]).toContain("'Read(./.env)' denies it");
  expect(stranger[2]).toContain("open.txt");
  expect(stranger[2]).not.toContain("secret=1");
  expect(stranger[3]).toContain("secret in the open");

  await trustFolder(cwd, configDir);
  const trusted = await answers(setStage(scenario(cwd), { cwd, configDir }));
  expect(trusted[0]).toContain("value:here");
  expect(trusted[1]).toContain("'Read(./.env)' denies it");
  expect(trusted[2]).not.toContain("secret=1");
});

test("a rule for some commands leaves the others alone; one for a whole tool asks for all of it", async () => {
  const cwd = temporaryDirectory();
  writeFiles(cwd, files);
  const settings = { permissions: { deny: ["Bash(rm *)"], ask: ["Grep"] } };
  const results = await answers(
    setStage(scenario(cwd), { cwd, settings, allowedTools: ["Bash", "Grep", "Read"] }),
  );
  expect(results[0]).toContain("value:");
  expect(results[2]).toContain("wants it to be asked");
});

test("a policy's agents win over the host's, and it can leave agents to plugins", async () => {
  const managedDir = temporaryDirectory();
  const plugin = temporaryDirectory();
  writeFiles(managedDir, { ".claude/agents/a.md": agent("a") });
  writeFiles(plugin, {
    ".claude-plugin/plugin.json": '{"name": "kit"}',
    "agents/review/b.md": agent("b", "hooks: {Stop: [{hooks: [{type: command, command: x}]}]}\n"),
  });
  const host = { a: { description: "the host's", prompt: "p" } };
  const project = { ".claude/agents/c.md": agent("c") };
  const open = setStage(quiet, {
    managedDir,
    agents: host,
    files: project,
    pluginDirs: [plugin],
  });
  expect(await open.manager.explain("a")).toMatchObject({
    source: "policy",
    file: join(managedDir, ".claude/agents/a.md"),
    passedOver: [{ source: "programmatic" }],
  });
  expect(await open.manager.explain("kit:review:b")).toMatchObject({ hooks: [], priority: 10 });
  expect((await open.manager.explain("C")).type).toBe("c");

  writeFiles(managedDir, {
    "managed-settings.json": JSON.stringify({
      strictPluginOnlyCustomization: ["agents"],
      allowPluginAgentExtensions: ["hooks"],
    }),
  });
  const strict = setStage(quiet, { managedDir, files: project, pluginDirs: [plugin] });
  await expect(strict.manager.explain("c")).rejects.toThrow(/leaves agents to plugins/);
  expect((await strict.manager.explain("kit:review:b")).hooks).toEqual(["Stop"]);
});

test("a type that the settings deny is not there, and the answer says why", async () => {
  const { manager } = setStage(quiet, {
    settings: { permissions: { deny: ["Task(explore)"] } },
  });
  const names = (await manager.agentTypes()).map(({ name }) => name);
  expect(names).not.toContain("Explore");
  await expect(manager.spawn({ prompt: "x", subagent_type: "Explore" })).rejects.toThrow(
    /denied by 'Task\(explore\)' in permissions.deny/,
  );
});

test("the main agent of the setting 'agent' may spawn only the types that its tools name", async () => {
  const { manager, events } = setStage(
    `
turns:
  - agent: lead
    turn: 1
    reply: [{ call: Agent, input: { description: d, prompt: p, subagent_type: Explore } }]
  - agent: lead
    turn: 2
    reply: [{ call: Agent, input: { description: d, prompt: p, subagent_type: Plan } }]
  - agent: Plan
    reply: planned
  - agent: lead
    turn: 3
    reply: done
`,
    {
      settings: { agent: "lead" },
      files: { ".claude/agents/lead.md": agent("lead", "tools: Agent(Plan), Read\n") },
    },
  );
  const main = await manager.main({ prompt: "go" });
  await manager.output(main.id, { block: true });
  await manager.close();
  const ends = events.flatMap((event) =>
    event.type === "tool-call-end" ? [JSON.stringify(event.result.content)] : [],
  );
  expect(ends[0]).toContain("may not be spawned here");
  expect(ends[1]).toContain("planned");
});

test("settings that do not fit are the host's mistake, and are named", () => {
  expect(() => setStage(quiet, { settings: { agents: { lenient: "yes" as never } } })).toThrow(
    /settings.agents.lenient/,
  );
});

test("a settings file that cannot be read stops a session: its rules would not hold", () => {
  const broken = { ".claude/settings.json": '{"permissions": {"deny": ["Read"],}}' };
  expect(() => setStage(quiet, { files: broken })).toThrow(
    /settings\.json:1:\d+: .*not valid JSON/,
  );
});

test("bypassing can be switched off", () => {
  vi.stubEnv("IS_SANDBOX", "1");
  onTestFinished(() => void vi.unstubAllEnvs());
  const settings = { permissions: { disableBypassPermissionsMode: "disable" } };
  expect(() => setStage(quiet, { settings, permissionMode: "bypassPermissions" })).toThrow(
    /switched off by the setting permissions\.disableBypassPermissionsMode/,
  );
});

test("a path in a rule holds from the root of the repository, wherever the agents work", async () => {
  const root = temporaryDirectory();
  writeFiles(root, { ...files, ".git/HEAD": "ref: refs/heads/main\n", "sub/x.txt": "" });
  const stage = setStage(scenario(root), { cwd: join(root, "sub"), allowedTools: ["Read"] });
  expect((await answers(stage))[1]).toContain("'Read(./.env)' denies it");
});

test("in a worktree the agents of the main checkout count too, after its own", async () => {
  const main = temporaryDirectory();
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: main });
  writeFiles(main, { ".claude/agents/both.md": agent("both"), a: "" });
  git("init", "-q");
  git("add", "a");
  git("commit", "-qm", "a");
  writeFiles(main, { ".claude/agents/main.md": agent("main-only") });
  const tree = join(temporaryDirectory(), "tree");
  git("worktree", "add", "-q", tree);
  writeFiles(tree, { ".claude/agents/both.md": agent("both") });
  const { manager } = setStage(quiet, { cwd: tree });
  expect((await manager.explain("main-only")).file).toBe(join(main, ".claude/agents/main.md"));
  expect((await manager.explain("both")).file).toBe(join(tree, ".claude/agents/both.md"));
});

test("what is wrong with the files of a session can be asked for", async () => {
  const { manager } = setStage(quiet, {
    files: {
      ".claude/agents/a.md": "no frontmatter",
      ".claude/settings.json": '{"permissions": {"allow": ["Bash(ls *)"]}, "model": 7}',
    },
    settings: { permissions: { allow: ["B*"] } },
  });
  const found = (await manager.diagnostics()).map(({ code, field }) => [code, field]);
  expect(found).toContainEqual(["inert", "model"]);
  expect(found).toContainEqual(["unsupported", "permissions.allow"]);
  expect(found).toContainEqual(["unreadable", null]);
});

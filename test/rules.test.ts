import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setStage, temporaryDirectory, writeFiles } from "./support/stage.ts";

/** What the tools answer when the main agent makes these calls, one per turn. */
async function answersTo(
  calls: { call: string; input: object }[],
  options: Parameters<typeof setStage>[1],
): Promise<string[]> {
  const turns = [...calls.map((call) => ({ reply: [call] })), { reply: "done" }];
  const { manager, events } = setStage(JSON.stringify({ turns }), options);
  const main = await manager.main({ prompt: "go" });
  await manager.output(main.id, { block: true });
  await manager.close();
  return events.flatMap((event) =>
    event.type === "tool-call-end" ? [JSON.stringify(event.result.content)] : [],
  );
}

function repository(): string {
  const cwd = temporaryDirectory();
  writeFiles(cwd, {
    "secrets/.env": "TOKEN=hidden\n",
    "secrets/a/key.txt": "TOKEN=hidden\n",
    "open/plain-12-name.txt": "before\nTOKEN=shown\nafter\n",
  });
  symlinkSync("secrets", join(cwd, "link"));
  return cwd;
}

const grep = (input: object): { call: string; input: object } => ({
  call: "Grep",
  input: { pattern: "TOKEN", ...input },
});

test.each([
  ["relative", () => "Read(secrets/**)"],
  ["a directory", () => "Read(./secrets)"],
  ["absolute", (cwd: string) => `Read(/${cwd}/secrets/**)`],
  // Read as any text, so that everything below is forbidden.
  ["a choice", () => "Read(@(secrets|x)/**)"],
  ["a detour", () => "Read(./open/../secrets/**)"],
])("searches keep what a rule forbids to themselves: %s", async (name, rule) => {
  const cwd = repository();
  const answers = await answersTo(
    [
      grep({ output_mode: "content" }),
      grep({ output_mode: "files_with_matches" }),
      grep({ output_mode: "count" }),
      grep({ output_mode: "content", "-C": 1 }),
      grep({ output_mode: "content", path: "link" }),
      grep({ output_mode: "content", path: "secrets" }),
      { call: "Glob", input: { pattern: "**/*" } },
      { call: "Glob", input: { pattern: "secrets/**" } },
      { call: "Glob", input: { pattern: "*", path: "link" } },
      { call: "Read", input: { file_path: join(cwd, "secrets/.env") } },
      { call: "Read", input: { file_path: join(cwd, "link/a/key.txt") } },
    ],
    { cwd, settings: { permissions: { deny: [rule(cwd)] } }, allowedTools: ["Read"] },
  );
  expect(answers).toHaveLength(11);
  for (const answer of answers) expect(answer).not.toMatch(/hidden|key\.txt|\.env:/);
  if (name === "a choice") return;
  expect(answers[0]).toContain("open/plain-12-name.txt:2:TOKEN=shown");
  expect(answers[1]).toContain("open/plain-12-name.txt");
  expect(answers[2]).toContain("open/plain-12-name.txt:1");
  expect(answers[3]).toContain("open/plain-12-name.txt-1-before");
  expect(answers[6]).toContain("open/plain-12-name.txt");
});

test("names with line ends, and separators between groups, give nothing away", async () => {
  const cwd = temporaryDirectory();
  writeFiles(cwd, {
    "secrets/x\ny.txt": "KEY=hidden\n",
    "v\nw.txt": "KEY=shown\n",
    "b.txt": "one\ntwo\nthree\nKEY=other\n",
  });
  const calls = (pattern: string): { call: string; input: object }[] => [
    { call: "Grep", input: { pattern, output_mode: "content", "-C": 1 } },
    { call: "Grep", input: { pattern, output_mode: "content", "-n": false, "-C": 1 } },
    { call: "Grep", input: { pattern, output_mode: "count" } },
    { call: "Grep", input: { pattern, output_mode: "files_with_matches" } },
    { call: "Glob", input: { pattern: "**/*" } },
  ];
  const settings = { permissions: { deny: ["Read(secrets/**)"] } };
  const right = await answersTo(calls("other|KEY=hidden"), { cwd, settings });
  const wrong = await answersTo(calls("other|KEY=hiddex"), { cwd, settings });
  expect(right).toEqual(wrong);
  for (const answer of right) expect(answer).not.toMatch(/hidden|y\.txt/);
  const bare = await answersTo(calls("other"), { cwd });
  expect(right.slice(0, 4)).toEqual(bare.slice(0, 4));
});

test("without rules searches show everything", async () => {
  const cwd = repository();
  const [content] = await answersTo([grep({ output_mode: "content" })], { cwd });
  expect(content).toMatch(/secrets\/a\/key\.txt:1:TOKEN=hidden/);
});

test("a memory confines the agent that has it, not its children", async () => {
  const cwd = repository();
  const child = { call: "Agent", input: { description: "d", prompt: "p", subagent_type: "child" } };
  const turns = [
    {
      agent: "lead",
      turn: 1,
      reply: [{ call: "Read", input: { file_path: join(cwd, "open/plain-12-name.txt") } }],
    },
    { agent: "lead", turn: 2, reply: [child] },
    { agent: "lead", turn: 3, reply: "done" },
    {
      agent: "child",
      turn: 1,
      reply: [{ call: "Read", input: { file_path: join(cwd, "open/plain-12-name.txt") } }],
    },
    { agent: "child", turn: 2, reply: "read" },
  ];
  const agents = {
    lead: { description: "d", prompt: "p", tools: ["Agent"], memory: "project" },
    child: { description: "d", prompt: "p", tools: ["Read"] },
  };
  const { manager, events } = setStage(JSON.stringify({ turns }), { cwd, agents });
  const main = await manager.main({ prompt: "go", subagent_type: "lead" });
  await manager.output(main.id, { block: true });
  await manager.close();
  const reads = events.flatMap((event) =>
    event.type === "tool-call-end" && event.call.name === "Read"
      ? [JSON.stringify(event.result.content)]
      : [],
  );
  expect(reads[0]).toContain("only for the agent's memory");
  expect(reads[1]).toContain("TOKEN=shown");
});

test("what explain says of tools is what happens", async () => {
  const settings = { permissions: { deny: ["Bash(rm *)", "WebFetch"], ask: ["Edit"] } };
  const { manager } = setStage("turns: [{ reply: ok, repeat: true }]", { settings });
  const { tools } = await manager.explain("general-purpose");
  const of = (name: string): unknown => tools.find(({ tool }) => tool === name);
  expect(of("Bash")).toMatchObject({ kept: true, useless: null });
  expect(of("Write")).toMatchObject({ kept: true, useless: expect.stringContaining("'Edit'") });
  expect(of("WebFetch")).toMatchObject({ kept: false, layer: "settings" });
  expect(of("Read")).toMatchObject({ kept: true, useless: null });
});

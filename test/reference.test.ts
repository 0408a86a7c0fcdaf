import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { references } from "../scripts/definition-reference.ts";
import { toDefinition } from "../src/definitions/definition.ts";
import { definitionFields, schemaOf } from "../src/definitions/fields.ts";
import { parseFrontmatter } from "../src/definitions/frontmatter.ts";
import { settingsSchema } from "../src/settings/settings.ts";
import { temporaryDirectory, writeFiles } from "./support/stage.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const generated = await references();

test.each([...generated.keys()])("%s is what 'npm run docs' writes", (file) => {
  expect(read(file), "Run 'npm run docs' and commit what it writes.").toBe(generated.get(file));
});

test.each(Object.entries(definitionFields))(
  "the example of '%s' is one that its field takes",
  async (name, { example }) => {
    const parsed = await parseFrontmatter(`---\n${name}: ${example}\n---\n`);
    expect(parsed).toMatchObject({ kind: "fields", notices: [] });
    const value = parsed.kind === "fields" ? parsed.fields[name] : undefined;
    expect(value).toBeDefined();
    expect(schemaOf(name)?.safeParse(value)).toMatchObject({ success: true });
  },
);

test("the agent at the top of the page loads without a word", async () => {
  const example = /```markdown\n(.*?)```/s.exec(read("docs/agent-files.md"))?.[1] ?? "";
  const parsed = await parseFrontmatter(example);
  if (parsed.kind !== "fields") throw new Error("There is no frontmatter in the example.");
  const origin = { prompt: parsed.body, source: "project", file: null, where: "page" } as const;
  const { definition, diagnostics } = toDefinition(parsed.fields, origin);
  expect(definition?.name).toBe("reviewer");
  expect([...parsed.notices, ...diagnostics]).toEqual([]);
});

test("every field and every setting is in its schema, with a description", () => {
  const documented = (file: string): Record<string, { description?: string }> =>
    (JSON.parse(generated.get(file) ?? "{}") as { properties: Record<string, object> }).properties;
  const agent = documented("schema/agent.schema.json");
  const settings = documented("schema/settings.schema.json");
  expect(Object.keys(agent)).toEqual(["name", "description", ...Object.keys(definitionFields)]);
  expect(Object.keys(settings)).toEqual(Object.keys(settingsSchema.shape));
  for (const [name, { description }] of Object.entries({ ...agent, ...settings })) {
    expect(description ?? "", name).toMatch(/[.)]$/);
  }
});

test("the guide to configuration has a word on every setting", () => {
  const guide = read("docs/configuration.md");
  const { agents, permissions } = settingsSchema.parse({});
  const keys = [
    ...Object.keys(settingsSchema.shape),
    ...Object.keys(agents).map((key) => `agents.${key}`),
    ...Object.keys(permissions),
  ];
  expect(keys.filter((key) => !guide.includes(key))).toEqual([]);
});

test("the README shows what agents ls, explain, lint and trust print", () => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, ".git"));
  writeFiles(cwd, {
    ".claude/agents/reviewer.md": `---
name: reviewer
description: Reviews a change. Use it before every commit.
tools: Read, Grep, Bash
model: haiku
maxTurn: 20
---
You review code.
`,
    ".claude/settings.json": `{ "permissions": { "deny": ["Read(./.env)"], "allow": ["Bash"] } }\n`,
  });
  const shown = /```\n(\$ retinue agents ls\n.*?)```/s.exec(read("README.md"))?.[1] ?? "";
  const [, ...runs] = shown.split(/^\$ retinue /m);
  const env = { ...process.env, NO_COLOR: "1", CLAUDE_CONFIG_DIR: temporaryDirectory() };
  expect(runs.map((run) => run.split(/\s/)[0])).toEqual(["agents", "explain", "lint", "trust"]);
  for (const run of runs) {
    const [command = "", ...lines] = run.trimEnd().split("\n");
    const { stdout } = spawnSync(
      process.execPath,
      [join(root, "bin/retinue.js"), ...command.split(" ")],
      { cwd, env, encoding: "utf8" },
    );
    for (const line of lines)
      expect(stdout).toContain(line.replaceAll("/home/me/shop", cwd).replace(/…$/, ""));
  }
});

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory, writeFiles } from "../../test/support/stage.ts";
import { findSkill, loadSkills, type LoadedSkills } from "./skills.ts";

test("a skill is called like its directory, and only SKILL.md one level down counts", async () => {
  const root = stage({
    "b/SKILL.md": "---\nname: Other Name\ndescription: d\n---\nBody\n",
    "a/SKILL.md": "---\ndescription: d\n---\n",
    "lower/skill.md": "---\nname: lower\n---\n",
    "group/nested/SKILL.md": "---\nname: nested\n---\n",
    "SKILL.md": "---\nname: top\n---\n",
  });
  const { skills, diagnostics } = await load(root);
  expect(skills.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(skills[1]).toEqual({
    name: "b",
    displayName: "Other Name",
    source: "project",
    description: "d",
    listing: "d",
    body: "Body",
    file: join(root, "b/SKILL.md"),
    directory: join(root, "b"),
  });
  expect(diagnostics).toEqual([]);
});

test("a skill in a directory that begins with a dot is none", async () => {
  const text = "---\ndescription: d\n---\n";
  const root = stage({
    ".claude/SKILL.md": text,
    ".claude/worktrees/x/SKILL.md": text,
    "a/SKILL.md": text,
  });
  expect((await load(root)).skills.map(({ name }) => name)).toEqual(["a"]);
});

test("every field is read as people write it", async () => {
  const root = stage({
    "a/SKILL.md": `---
name: A
description: What it does
when_to_use: When it helps
allowed-tools: Read, Bash(git diff *), Grep
disallowed-tools: Bash(rm *) Write
model: haiku
effort: low
context: fork
agent: Explore
disable-model-invocation: yes
user-invocable: off
paths: src/**/*.{ts,tsx}, docs/*.md
argument-hint: [file]
metadata:
  __proto__: 1
invented: 3
---
Body`,
  });
  const { skills, diagnostics } = await load(root);
  expect(skills[0]).toMatchObject({
    displayName: "A",
    description: "What it does",
    whenToUse: "When it helps",
    listing: "What it does - When it helps",
    allowedTools: ["Read", "Bash(git diff *)", "Grep"],
    disallowedTools: ["Bash(rm *)", "Write"],
    model: "haiku",
    effort: "low",
    context: "fork",
    agent: "Explore",
    disableModelInvocation: true,
    userInvocable: false,
    paths: ["src/**/*.{ts,tsx}", "docs/*.md"],
    argumentHint: "[file]",
    body: "Body",
  });
  expect(diagnostics).toEqual([]);
});

test.each([
  ["true", true],
  ["false", false],
  ["yes", true],
  ["No", false],
  ["on", true],
  ["off", false],
  ["1", true],
  ["0", false],
  ["'1'", true],
  ["maybe", undefined],
  ["2", undefined],
  ["[yes]", undefined],
])("a flag may be written %s", async (written, value) => {
  const { skills, diagnostics } = await load(
    stage({ "a/SKILL.md": `---\nuser-invocable: ${written}\n---\n` }),
  );
  expect(skills[0]?.userInvocable).toBe(value);
  expect(diagnostics).toHaveLength(value === undefined ? 1 : 0);
});

test.each([
  ["a heading", "# The Heading\nText", "The Heading"],
  ["a paragraph", "\n\nOne\n  two\n\nThree", "One two"],
  ["nothing", "", ""],
])("without a description, %s of the body speaks for it", async (_title, body, description) => {
  const { skills, diagnostics } = await load(
    stage({
      "a/SKILL.md": body,
      "b/SKILL.md": `---\nname: x\n---\n${body}`,
      "c/SKILL.md": `---\n---\n${body}`,
    }),
  );
  expect(skills.map((skill) => skill.description)).toEqual(Array(3).fill(description));
  expect(diagnostics).toEqual([]);
});

test("broken frontmatter leaves a skill without fields, but loaded", async () => {
  const root = stage({
    "bad/SKILL.md":
      "---\nname: a\ndescription: See:\n\n<example>\nuser: hi\n</example>\n---\nThe rest",
    "colon/SKILL.md": "---\ndescription: When: this\n---\nThe rest",
    "open/SKILL.md": "---\nname: a\nThe rest",
    "values/SKILL.md": "---\ndescription: [a]\neffort: huge\ncontext: 3\n---\nThe rest",
  });
  const { skills, diagnostics } = await load(root);
  expect(skills.map(({ name, description }) => [name, description])).toEqual([
    ["bad", "The rest"],
    ["colon", "When: this"],
    ["open", "--- name: a The rest"],
    ["values", "The rest"],
  ]);
  expect(diagnostics.map(({ severity, line, field }) => [severity, line, field])).toEqual([
    ["error", 3, null],
    ["warning", 1, null],
    ["warning", 3, "effort"],
    ["warning", 4, "context"],
    ["warning", 2, "description"],
  ]);
});

test("a listing is cut at 1,536 characters, never through a character", async () => {
  const { skills } = await load(
    stage({
      "a/SKILL.md": `---\ndescription: ${"a".repeat(1000)}\nwhen_to_use: ${"b".repeat(1000)}\n---\n`,
      "b/SKILL.md": `---\ndescription: "${"😀".repeat(1000)}"\n---\n`,
    }),
  );
  expect(skills[0]?.listing).toHaveLength(1536);
  expect(skills[0]?.listing).toMatch(/^a{1000} - b+…$/);
  expect(skills[0]?.description).toHaveLength(1000);
  expect(skills[1]?.listing.isWellFormed()).toBe(true);
  expect(skills[1]?.listing.length).toBeLessThanOrEqual(1536);
});

test("of two skills with one name the first place's counts; a plugin's have its name before them", async () => {
  const root = stage({
    "project/same/SKILL.md": "From the project",
    "user/same/SKILL.md": "From the user",
    "plugin/skills/same/SKILL.md": "From the plugin",
  });
  const { skills, diagnostics } = await loadSkills([
    { directory: join(root, "project"), source: "project" },
    { directory: join(root, "user"), source: "user" },
    { directory: join(root, "plugin/skills"), source: "plugin", plugin: "kit" },
    { directory: join(root, "plugin/skills/same"), source: "plugin", plugin: "kit" },
    { directory: join(root, "nowhere"), source: "policy" },
  ]);
  expect(skills.map(({ name, description }) => [name, description])).toEqual([
    ["same", "From the project"],
    ["kit:same", "From the plugin"],
  ]);
  expect(skills[1]).toMatchObject({ plugin: "kit", source: "plugin" });
  expect(diagnostics).toMatchObject([{ code: "shadowed", file: join(root, "user/same/SKILL.md") }]);
});

test("links out of a plugin, pipes, long files and names that deceive are left out, and that is said", async () => {
  const root = stage({
    "skills/fine/SKILL.md": "Fine",
    "skills/long/SKILL.md": "x".repeat(300_000),
    "skills/kit:other/SKILL.md": "Deceives",
    "skills/bell\u0007/SKILL.md": "Rings",
    "outside/SKILL.md": "Outside",
  });
  const skillsDirectory = join(root, "skills");
  symlinkSync(join(root, "outside"), join(skillsDirectory, "out"));
  mkdirSync(join(skillsDirectory, "passwd"));
  symlinkSync("/etc/passwd", join(skillsDirectory, "passwd/SKILL.md"));
  mkdirSync(join(skillsDirectory, "pipe"));
  execFileSync("mkfifo", [join(skillsDirectory, "pipe/SKILL.md")]);
  const { skills, diagnostics } = await loadSkills([
    { directory: skillsDirectory, source: "plugin", plugin: "kit", root: skillsDirectory },
  ]);
  expect(skills.map(({ name }) => name)).toEqual(["kit:fine"]);
  expect(diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
    "error invalid",
    "error invalid",
    "error unreadable",
    "error invalid",
    "error invalid",
    "error unreadable",
  ]);
});

test("200,000 commas and open braces in 'paths' come to an end", async () => {
  const root = stage({
    "a/SKILL.md": `---\npaths: "${",".repeat(100_000)}${"{".repeat(100_000)}"\n---\n`,
  });
  // Each brace that doubled the work would never end.
  await load(root);
});

test("a skill is found by its name, then in the asker's plugin, then in any", async () => {
  const root = stage({ "one/SKILL.md": "", "two/SKILL.md": "", "three/SKILL.md": "" });
  const { skills } = await loadSkills([
    { directory: root, source: "plugin", plugin: "a" },
    { directory: root, source: "plugin", plugin: "b" },
    { directory: stage({ "one/SKILL.md": "" }), source: "user" },
  ]);
  const found = (wanted: string, plugin?: string): string | undefined => {
    const result = findSkill(skills, wanted, plugin);
    return result.kind === "skill" ? result.skill.name : undefined;
  };
  expect(found("one", "b")).toBe("one");
  expect(found("two", "b")).toBe("b:two");
  expect(found("two")).toBe("a:two");
  expect(found("b:three")).toBe("b:three");
  expect(found("wo")).toBeUndefined();
  expect(found("")).toBeUndefined();
  expect(findSkill(skills, "a:threee")).toMatchObject({
    kind: "unknown",
    message: expect.stringMatching(/Did you mean 'a:three'/),
  });
});

test("a skill that models may not invoke cannot be preloaded", async () => {
  const { skills } = await load(
    stage({ "a/SKILL.md": "---\ndisable-model-invocation: true\n---\nBody" }),
  );
  expect(findSkill(skills, "a")).toMatchObject({
    kind: "kept-back",
    message: expect.stringMatching(/cannot be preloaded/),
  });
});

function stage(files: Record<string, string>): string {
  const root = temporaryDirectory();
  writeFiles(root, files);
  return root;
}

async function load(directory: string): Promise<LoadedSkills> {
  return loadSkills([{ directory, source: "project" }]);
}

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory, writeFiles } from "../../test/support/stage.ts";
import { defaultManagedDir, settingsFiles } from "./scopes.ts";

describe("settingsFiles", () => {
  test("lists the files of every scope, highest first, from the repository's root", () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, "repository/.git"), { recursive: true });
    mkdirSync(join(root, "repository/a/b"), { recursive: true });
    const files = settingsFiles({
      cwd: join(root, "repository/a/b"),
      configDir: join(root, "config"),
      managedDir: join(root, "managed"),
    });
    expect(files).toEqual([
      { scope: "managed", file: join(root, "managed/managed-settings.json") },
      { scope: "local", file: join(root, "repository/.claude/settings.local.json") },
      { scope: "project", file: join(root, "repository/.claude/settings.json") },
      { scope: "user", file: join(root, "config/settings.json") },
    ]);
  });

  test("without a repository the project is the directory itself", () => {
    const cwd = temporaryDirectory();
    const files = settingsFiles({ cwd, configDir: join(cwd, "config"), managedDir: cwd });
    expect(files[2]).toEqual({ scope: "project", file: join(cwd, ".claude/settings.json") });
  });

  test("parts of a policy: the later in the alphabet, the higher; other files are none", () => {
    const managedDir = temporaryDirectory();
    const parts = join(managedDir, "managed-settings.d");
    writeFiles(parts, { "10-a.json": "", "20-b.json": "", "readme.md": "", ".hidden.json": "" });
    const files = settingsFiles({ cwd: managedDir, configDir: managedDir, managedDir });
    expect(files.filter(({ scope }) => scope === "managed").map(({ file }) => file)).toEqual([
      join(parts, "20-b.json"),
      join(parts, "10-a.json"),
      join(managedDir, "managed-settings.json"),
    ]);
  });

  test("in the home directory the file counts once, as the user's, also through a link", () => {
    const home = temporaryDirectory();
    mkdirSync(join(home, ".claude"));
    symlinkSync(join(home, ".claude"), join(home, "linked"));
    for (const configDir of [join(home, ".claude"), join(home, "linked")]) {
      const scopes = settingsFiles({ cwd: home, configDir, managedDir: home }).map(
        ({ scope }) => scope,
      );
      expect(scopes).toEqual(["managed", "local", "user"]);
    }
  });

  test("a link to a directory in another repository leads to that repository", () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, "one/.git"), { recursive: true });
    mkdirSync(join(root, "other/.git"), { recursive: true });
    mkdirSync(join(root, "other/inner"));
    symlinkSync(join(root, "other/inner"), join(root, "one/link"));
    const files = settingsFiles({
      cwd: join(root, "one/link"),
      configDir: join(root, "config"),
      managedDir: root,
    });
    expect(files[2]?.file).toBe(join(root, "other/.claude/settings.json"));
  });

  test("something else in the place of the directory of parts is no part", () => {
    const managedDir = temporaryDirectory();
    writeFileSync(join(managedDir, "managed-settings.d"), "");
    const files = settingsFiles({ cwd: managedDir, configDir: managedDir, managedDir });
    expect(files.filter(({ scope }) => scope === "managed")).toHaveLength(1);
  });
});

test("each platform has its place for policies", () => {
  expect(defaultManagedDir("linux")).toBe("/etc/claude-code");
  expect(defaultManagedDir("darwin")).toBe("/Library/Application Support/ClaudeCode");
});

import { expect, test } from "vitest";
import { isCritical, isProtected } from "./protected.ts";

const roots = {
  directories: ["/p", "/h", "/other"],
  own: ["/state"],
};

test.each([
  "/p/.git",
  "/p/.git/hooks/a",
  "/p/sub/.git/config",
  "/p/.GIT/config",
  "/p/.claude/settings.json",
  "/p/.config/git/config",
  "/p/a/.mcp.json",
  "/h/.bashrc",
  "/other/.git/hooks/pre-commit",
  "/other/deep/down/.envrc",
  "/state/retinue/grants/x.json",
  "/p/.claude/worktrees/w/.git/config",
  "/p/.claude/worktrees/.git/config",
  "/p/.claude/worktrees/HEAD",
  "/p/.git/.claude/worktrees/w/config",
  "/p/.claude/agents/.claude/worktrees/w/evil.md",
  "/p/.claude/worktrees/w/.claude/worktrees/.git/config",
  "/p/.v\u017Fcode/tasks.json",
  "/p/node_modules/.bin/bash",
  "/p/packages/a/node_modules/.bin",
  "/p/.tool-versions",
  "/p/sub/.mise.toml",
  "/p/rust-toolchain.toml",
  "/p/.Rprofile",
  "/h/.emacs",
  "/h/.emacs.d/init.el",
  "/h/.config/fish/config.fish",
  "/h/.config/nvim/init.lua",
  "/h/.aws/config",
  "/h/.docker/config.json",
  "/h/Library/LaunchAgents/x.plist",
])("%s is protected", (path) => {
  expect(isProtected(path, roots)).toBe(true);
});

test.each([
  "/p/a",
  "/p/git/config",
  "/p/.gitignore",
  "/p/.config/x",
  "/p/node_modules/a/index.js",
  "/p/node_modules",
  "/p/.bin/x",
  "/p/.aws/task-definition.json",
  "/p/.docker/Dockerfile",
  "/p/.nvmrc",
  "/p/config.fish",
  "/elsewhere/.bashrc",
  "/p/.claude/worktrees/w/src/a",
  "/p/packages/.claude/worktrees/w/src/a",
])("%s is not", (path) => {
  expect(isProtected(path, roots)).toBe(false);
});

test.each(["/", "/etc", "/etc/*", "/*", "/h", "/h/*", "/home", "/home/p", "/home/p/w"])(
  "nobody means to remove %s",
  (path) => {
    expect(isCritical(path, { cwd: "/home/p/w", home: "/h" })).toBe(true);
  },
);

test.each(["/home/p/w/a", "/home/q", "/h/a", "/etc/a"])("%s may be meant", (path) => {
  expect(isCritical(path, { cwd: "/home/p/w", home: "/h" })).toBe(false);
});

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../test/support/stage.ts";
import { realPath, unknownPath } from "./real-path.ts";

test("a dangling link leads where the kernel would create its target", () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "project/deep/er"), { recursive: true });
  symlinkSync("deep/er", join(root, "project/a"));
  symlinkSync("a/../../../home/.vimrc", join(root, "project/notes.txt"));
  expect(realPath(join(root, "project/notes.txt"))).toBe(join(root, "home/.vimrc"));
  expect(realPath(join(root, "project/notes.txt/x"))).toBe(join(root, "home/.vimrc/x"));
});

test("a link counts however many directories that do not exist follow it", () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "home"));
  symlinkSync("home", join(root, "link"));
  const below = "d/".repeat(60);
  expect(realPath(join(root, "link", below))).toBe(join(root, "home", below.slice(0, -1)));
});

test("links in a circle lead nowhere, and a file in the way is no link", () => {
  const root = temporaryDirectory();
  symlinkSync("b", join(root, "a"));
  symlinkSync("a", join(root, "b"));
  writeFileSync(join(root, "file"), "");
  expect(realPath(join(root, "a"))).toBe(unknownPath);
  expect(realPath(join(root, "file/x"))).toBe(join(root, "file/x"));
});

test("a link whose target is no text leads nowhere, and so do too many links", () => {
  const root = temporaryDirectory();
  const odd = Buffer.concat([Buffer.from(join(root, "d")), Buffer.from([0xff])]);
  symlinkSync("/etc", odd);
  symlinkSync(Buffer.from([0x64, 0xff, 0x2f, 0x78]), join(root, "l"));
  expect(realPath(join(root, "l"))).toBe(unknownPath);
  symlinkSync(".", join(root, "c0"));
  for (let at = 1; at <= 50; at += 1) symlinkSync(`c${at - 1}`, join(root, `c${at}`));
  expect(realPath(join(root, "c30"))).toBe(root);
  expect(realPath(join(root, "c50"))).toBe(unknownPath);
});

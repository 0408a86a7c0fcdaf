import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../test/support/stage.ts";
import { programOn, safePath } from "./safe-path.ts";
import { userHome } from "./user-home.ts";

const safe = (entries: readonly string[], ...folders: string[]): string[] =>
  safePath(entries.join(delimiter), folders).split(delimiter);

test("directories of a folder, and relative ones, are not looked at for programs", () => {
  const root = temporaryDirectory();
  const elsewhere = temporaryDirectory();
  mkdirSync(join(root, "project/bin"), { recursive: true });
  symlinkSync(join(root, "project/bin"), join(elsewhere, "linked"));
  const entries = [
    join(root, "project/node_modules/.bin"),
    "node_modules/.bin",
    ".",
    "",
    join(elsewhere, "linked"),
    "/usr/bin",
  ];
  expect(safe(entries, join(root, "project"))).toEqual(["/usr/bin"]);
});

test("nor those beside a folder and above it, up to the home directory", () => {
  const home = userHome();
  const entries = [
    "/srv/tools",
    "/srv/shop/bin",
    join(home, "src/tools"),
    join(home, "bin"),
    join(home, ".cargo/bin"),
    "/opt/node/bin",
  ];
  expect(safe(entries, "/srv/shop/packages/a")).toEqual(entries.slice(2));
  expect(safe(entries, join(home, "src/shop"))).toEqual([
    ...entries.slice(0, 2),
    ...entries.slice(3),
  ]);
  expect(safe(entries, home)).toEqual([...entries.slice(0, 2), "/opt/node/bin"]);
});

test.each(["/", "/usr/src/app", "/usr/local/src/app", "/opt/app", "/usr"])(
  "a folder at %s does not take the programs of the system away",
  (folder) => {
    const entries = ["/usr/local/bin", "/usr/bin", "/opt/node/bin", "/bin"];
    expect(safe([join(folder, "node_modules/.bin"), ...entries], folder)).toEqual(entries);
  },
);

test("every node_modules/.bin and every directory of shims is left out, wherever it lies", () => {
  const home = userHome();
  const entries = [
    "/node_modules/.bin",
    "/tmp/node_modules/.bin/",
    join(home, ".npm/_npx/1/node_modules/.bin"),
    join(home, ".asdf/shims"),
    join(home, ".pyenv/shims"),
    join(home, ".local/share/mise/shims"),
  ];
  expect(safe([...entries, "/usr/bin"], "/somewhere")).toEqual(["/usr/bin"]);
});

test("a PATH of which nothing is left is that of the system, not the current directory", () => {
  expect(safePath(undefined, ["/work"])).toBe("/usr/bin:/bin");
  expect(safePath(".:node_modules/.bin", [])).toBe("/usr/bin:/bin");
});

test("a program that is not there is looked for nowhere else", () => {
  expect(programOn("/nowhere:/neither", "bash")).toBe("/nowhere/bash");
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeTree } from "./remove-tree.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

test("files, directories and links go; what links lead to stays", async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "kept"));
  writeFileSync(join(root, "kept/file"), "x");
  mkdirSync(join(root, "tree/deep/deeper"), { recursive: true });
  writeFileSync(join(root, "tree/deep/deeper/file"), "x");
  symlinkSync(join(root, "kept"), join(root, "tree/deep/link"));
  symlinkSync("nowhere", join(root, "tree/dangling"));
  symlinkSync(join(root, "kept"), join(root, "link"));
  await removeTree(join(root, "tree"));
  await removeTree(join(root, "link"));
  await removeTree(join(root, "never-there"));
  expect(readdirSync(root)).toEqual(["kept"]);
  expect(readdirSync(join(root, "kept"))).toEqual(["file"]);
});

test("two who remove the same tree do not fail each other", async () => {
  const root = temporaryDirectory();
  for (let n = 0; n < 50; n += 1) {
    mkdirSync(join(root, `tree/${n}`), { recursive: true });
    writeFileSync(join(root, `tree/${n}/file`), "x");
  }
  await Promise.all(Array.from({ length: 4 }, () => removeTree(join(root, "tree"))));
  expect(readdirSync(root)).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "a directory that is swapped for a link while it is removed leads nobody out",
  async () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, "kept"));
    const names = Array.from({ length: 20 }, (_, n) => `file-${n}`);
    for (const name of names) writeFileSync(join(root, "kept", name), "x");
    // Puts a link to what must stay in the place of the directory and takes it away again, as fast as it can.
    const swapping = `
      const fs = require("fs");
      const quietly = (work) => { try { work(); } catch {} };
      for (;;) {
        quietly(() => fs.renameSync("tree/sub", "aside"));
        quietly(() => fs.symlinkSync("../kept", "tree/sub"));
        quietly(() => fs.unlinkSync("tree/sub"));
        quietly(() => fs.renameSync("aside", "tree/sub"));
      }`;
    const swapper = spawn(process.execPath, ["-e", swapping], { cwd: root });
    const ended = once(swapper, "exit");
    for (let round = 0; round < 500; round += 1) {
      await mkdir(join(root, "tree/sub"), { recursive: true }).catch(() => undefined);
      await removeTree(join(root, "tree")).catch(() => undefined);
    }
    swapper.kill("SIGKILL");
    await ended;
    expect(readdirSync(join(root, "kept")).toSorted()).toEqual(names.toSorted());
  },
);

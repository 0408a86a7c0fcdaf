import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../test/support/stage.ts";
import { safePath } from "./safe-path.ts";

test("directories of a folder, and relative ones, are not looked at for programs", () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "project/bin"), { recursive: true });
  mkdirSync(join(root, "bin"));
  symlinkSync(join(root, "project/bin"), join(root, "linked"));
  const path = [
    join(root, "project/node_modules/.bin"),
    "node_modules/.bin",
    ".",
    "",
    join(root, "linked"),
    join(root, "bin"),
    "/usr/bin",
  ].join(":");
  expect(safePath(path, [join(root, "project")])).toBe(`${join(root, "bin")}:/usr/bin`);
});

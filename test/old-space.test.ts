import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryDirectory } from "./support/stage.ts";

/** It is about 850, most of it code that V8 still compiles; what was known of an ended agent would be 7,000, and its run 15,000. */
const mostBytes = 2000;

test("an ended agent leaves next to nothing behind for a full collection", async () => {
  const program = fileURLToPath(new URL("support/promote-program.ts", import.meta.url));
  const heap = ["--initial-heap-size=800", "--min-semi-space-size=8", "--max-semi-space-size=8"];
  const agents = ["200", "300"];
  const args = [...heap, program, temporaryDirectory(), ...agents];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(Number(stdout)).toBeLessThan(mostBytes);
  expect(Number(stdout)).not.toBeNaN();
});

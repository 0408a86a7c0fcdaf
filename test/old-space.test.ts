import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryDirectory } from "./support/stage.ts";

/** What stays of an ended agent in memory for a while takes about half of it; a whole run would be twice as much. */
const mostBytes = 15_000;

test("an ended agent leaves no more behind for a full collection than what is known of ended agents", async () => {
  const program = fileURLToPath(new URL("support/promote-program.ts", import.meta.url));
  const heap = ["--initial-heap-size=800", "--min-semi-space-size=8", "--max-semi-space-size=8"];
  const agents = ["200", "300"];
  const args = [...heap, program, temporaryDirectory(), ...agents];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(Number(stdout)).toBeLessThan(mostBytes);
  expect(Number(stdout)).toBeGreaterThan(1000);
});

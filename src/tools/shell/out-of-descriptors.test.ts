import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** In a process of its own, which may hold few files open and holds all but `free` of them. */
const program = `
import { closeSync, openSync } from "node:fs";
const { bashTool } = await import("${new URL("bash.ts", import.meta.url).href}");
const { ToolBench } = await import("${new URL("shell-tools-fixture.ts", import.meta.url).href}");
const bench = await ToolBench.create();
const call = (run_in_background) => bench.call(bashTool, { command: "echo hi", run_in_background });
await call(false);
const held = [];
try {
  for (;;) held.push(openSync("/dev/null", "r"));
} catch {}
for (const file of held.splice(0, 2)) closeSync(file);
const answers = [await call(false), await call(true)];
for (const file of held) closeSync(file);
answers.push(await call(false));
await bench[Symbol.asyncDispose]();
console.log(JSON.stringify(answers.map(({ content }) => content)));
`;

test("a command for which no file descriptor is left fails alone, and the next one runs", async () => {
  const { stdout } = await promisify(execFile)("bash", [
    "-c",
    'ulimit -n 100; exec "$0" --input-type=module -e "$1"',
    process.execPath,
    program,
  ]);
  const failure: unknown = expect.stringMatching(
    /^bash could not be started \(spawn \S+\/bash EMFILE\)\. Try again when less is running\.$/,
  );
  expect(JSON.parse(stdout)).toEqual([failure, failure, "hi\n"]);
}, 60_000);

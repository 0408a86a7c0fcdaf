import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ripgrep } from "./ripgrep.ts";
import { isAlive, ToolBench } from "../shell/shell-tools-fixture.ts";

/** This process's own children that are ripgrep and live. */
function running(): string[] {
  return readdirSync(`/proc/${process.pid}/task`)
    .flatMap((task) =>
      readFileSync(`/proc/${process.pid}/task/${task}/children`, "utf8").split(" "),
    )
    .filter((pid) => pid !== "" && isAlive(Number(pid)));
}

test("leaving the loop ends the process", async () => {
  await using bench = await ToolBench.create();
  await writeFile(join(bench.root, "a.txt"), "x\n".repeat(5_000_000));
  const { signal } = new AbortController();
  for await (const line of ripgrep({
    options: ["--regexp=x"],
    targets: ["a.txt"],
    cwd: bench.root,
    signal,
  })) {
    expect(line).toBe("x");
    expect(running()).toHaveLength(1);
    break;
  }
  expect(running()).toEqual([]);
});

test("an abort in the middle ends the process and is thrown", async () => {
  await using bench = await ToolBench.create();
  await writeFile(join(bench.root, "a.txt"), "x\n".repeat(5_000_000));
  const stop = new AbortController();
  const lines = ripgrep({
    options: ["--regexp=x"],
    targets: ["a.txt"],
    cwd: bench.root,
    signal: stop.signal,
  });
  const readAll = async (): Promise<void> => {
    for await (const _ of lines) stop.abort("enough");
  };
  await expect(readAll()).rejects.toBe("enough");
  expect(running()).toEqual([]);
});

test("a line without end is cut and does not fill the memory", async () => {
  await using bench = await ToolBench.create();
  await writeFile(join(bench.root, "a.txt"), Buffer.alloc(50_000_000, "x"));
  const { signal } = new AbortController();
  const lines: string[] = [];
  for await (const line of ripgrep({
    options: ["--regexp=x"],
    targets: ["a.txt"],
    cwd: bench.root,
    signal,
  })) {
    lines.push(line);
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]?.length).toBeLessThan(100_000);
});

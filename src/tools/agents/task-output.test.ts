import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bashTool } from "../shell/bash.ts";
import { commands, ToolBench, until } from "../shell/shell-tools-fixture.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";
import { unknownTask, type TaskReport, type Tasks } from "./tasks.ts";

let bench: ToolBench;

beforeEach(async () => {
  bench = await ToolBench.create();
});

afterEach(async () => {
  await bench[Symbol.asyncDispose]();
});

async function launch(command: string, on: ToolBench = bench): Promise<string> {
  const output = await on.call(bashTool, { command, run_in_background: true });
  return (output.data as { backgroundTaskId: string }).backgroundTaskId;
}

const output = (task_id: string, input: object = {}, options: object = {}) =>
  bench.call(taskOutputTool, { task_id, ...input }, options);
const stop = (task_id: string) => bench.call(taskStopTool, { task_id });
const fileOf = (id: string): string => join(bench.workbench.tasksDir, `${id}.output`);

const waiting = "echo begun; until [ -e go ]; do sleep 0.01; done; echo done";

describe("TaskOutput", () => {
  test("waits for the end and shows state, exit code and output", async () => {
    const id = await launch(waiting);
    const waited = output(id);
    await writeFile(join(bench.root, "go"), "");
    expect(await waited).toEqual({
      content: `${id} completed (exit code 0)\nbegun\ndone`,
      data: {
        id,
        kind: "shell",
        state: "completed",
        content: "begun\ndone\n",
        outputFile: fileOf(id),
        exitCode: 0,
        timedOut: false,
        description: waiting,
      },
    });
    expect((await output(id)).content).toBe(`${id} completed (exit code 0)\nbegun\ndone`);
  });

  test("answers at once without block", async () => {
    const id = await launch(waiting);
    await until(() => readFileSync(fileOf(id), "utf8") !== "");
    expect(await output(id, { block: false })).toMatchObject({
      content: `${id} is running\nbegun`,
      data: { state: "running", timedOut: false },
    });
  });

  test("gives up waiting when its time is up, with what there is, and that is no error", async () => {
    const id = await launch(waiting);
    await until(() => readFileSync(fileOf(id), "utf8") !== "");
    const answer = await output(id, { timeout: 20 });
    expect(answer.content).toBe(`timeout waiting for task ${id}\n${id} is running\nbegun`);
    expect(answer.isError).toBeUndefined();
    expect(answer.data).toMatchObject({ state: "running", timedOut: true, content: "begun\n" });
    expect(commands(bench.mark).length).toBeGreaterThan(0);
  });

  test("lends the agent's place only while there is something to wait for", async () => {
    let waits = 0;
    const wait = <Result>(arrival: () => Promise<Result>): Promise<Result> => {
      waits += 1;
      return arrival();
    };
    const id = await launch(waiting);
    await output(id, { block: false }, { wait });
    expect(waits).toBe(0);
    const waited = output(id, {}, { wait });
    await until(() => waits === 1);
    await writeFile(join(bench.root, "go"), "");
    await waited;
    await output(id, {}, { wait });
    expect(waits).toBe(1);
  });

  test("stops waiting with its agent", async () => {
    const abort = new AbortController();
    const waited = output(await launch(waiting), {}, { signal: abort.signal });
    abort.abort(new Error("the agent was stopped"));
    await expect(waited).rejects.toThrow("the agent was stopped");
  });

  test("shows the last 30,000 characters, between words, and where the rest is", async () => {
    const id = await launch("seq 1 20000");
    const { content, data } = await output(id);
    const { content: shown, omitted = 0 } = data as TaskReport;
    expect(shown.length).toBeLessThanOrEqual(30_000);
    expect(shown.length).toBeGreaterThan(29_900);
    expect(content).toContain(
      `[… ${omitted} characters before this; all of it is in ${fileOf(id)}]\n`,
    );
    const all = readFileSync(fileOf(id), "utf8");
    expect(all).toBe(`${all.slice(0, omitted)}${shown}[exit code 0]\n`);
    expect(shown).toMatch(/^\n?\d+\n/);
  });

  test("says when nothing was printed", async () => {
    const id = await launch("exit 7");
    expect((await output(id)).content).toBe(`${id} failed (exit code 7)\n(no output)`);
  });

  test("shows the end of a command that a signal ended", async () => {
    const id = await launch("echo before; kill -KILL $$");
    expect((await output(id)).data).toMatchObject({ state: "failed", exitCode: 137 });
  });
});

describe("TaskStop", () => {
  const stubborn = "trap '' TERM; sleep 300 & setsid sleep 300 & echo up; wait; sleep 300";

  test("ends all processes of the command, gently then surely, and says how many", async () => {
    const other = await launch("exec sleep 301");
    const id = await launch(stubborn);
    await until(() => readFileSync(fileOf(id), "utf8") === "up\n");
    const { content, data } = await stop(id);
    const { died = 0 } = data as TaskReport;
    expect(died).toBeGreaterThanOrEqual(3);
    expect(content).toBe(`${id} stopped; ${died} processes were ended.`);
    expect(commands(bench.mark)).toEqual(["sleep 301"]);
    expect(readFileSync(fileOf(id), "utf8")).toBe("up\n[stopped by TaskStop]\n");
    expect((await output(other, { block: false })).data).toMatchObject({ state: "running" });
  });

  test("tells nobody, and those who wait for the task hear that it was stopped", async () => {
    const told: unknown[] = [];
    bench.workbench.notify = (note) => told.push(note);
    const id = await launch("echo here; sleep 300");
    await until(() => readFileSync(fileOf(id), "utf8") === "here\n");
    const waited = output(id);
    await stop(id);
    expect(await waited).toMatchObject({
      content: `${id} stopped\nhere`,
      data: { state: "stopped", timedOut: false },
    });
    expect(told).toEqual([]);
  });

  test("may be called again, and for what has ended", async () => {
    const id = await launch("sleep 300");
    await stop(id);
    expect(await stop(id)).toMatchObject({
      content: `${id} stopped; nothing of it was running any more.`,
      data: { state: "stopped", died: 0 },
    });
    const over = await launch("true");
    await output(over);
    expect((await stop(over)).content).toBe(
      `${over} completed (exit code 0); nothing of it was running any more.`,
    );
  });

  test("twice at once ends it once", async () => {
    const id = await launch("sleep 300");
    const both = await Promise.all([stop(id), stop(id)]);
    expect(both.map(({ data }) => (data as TaskReport).state)).toEqual(["stopped", "stopped"]);
    expect(commands(bench.mark)).toEqual([]);
  });

  test("takes the older name of its field, and asks for one", async () => {
    const id = await launch("sleep 300");
    expect((await bench.call(taskStopTool, { shell_id: id })).content).toMatch(/ stopped; /);
    expect(await bench.call(taskStopTool, {})).toEqual({
      content: "Name the task in task_id.",
      isError: true,
    });
  });
});

describe("tasks", () => {
  test("of other agents are unknown, and so is what never was", async () => {
    await using other = await ToolBench.create();
    const theirs = await launch("sleep 300", other);
    for (const id of [theirs, "b00000000", "../x"]) {
      const failure = { content: expect.stringContaining(`unknown task_id: ${id}`), isError: true };
      expect(await output(id)).toEqual(failure);
      expect(await stop(id)).toEqual(failure);
    }
    expect(
      (await other.call(taskOutputTool, { task_id: theirs, block: false })).data,
    ).toMatchObject({ state: "running" });
  });

  test("are the agent's own commands first, then agents", async () => {
    const asked: string[] = [];
    const answer = (id: string): TaskReport => ({
      id,
      kind: "agent",
      state: "completed",
      content: `${"x".repeat(20)} `.repeat(2000),
      outputFile: "/there",
      timedOut: false,
    });
    const agents: Tasks = {
      async output(id) {
        asked.push(`output ${id}`);
        if (id !== "a1") throw unknownTask(id);
        return answer(id);
      },
      async stop(id) {
        asked.push(`stop ${id}`);
        return answer(id);
      },
    };
    const id = await launch("true");
    await output(id, {}, { agents });
    expect(asked).toEqual([]);
    const { content } = await output("a1", {}, { agents });
    expect(content).toMatch(
      /^a1 completed\n\[… \d+ characters before this; all of it is in \/there\]\n/,
    );
    expect(content.length).toBeLessThan(30_200);
    expect((await bench.call(taskStopTool, { task_id: "a1" }, { agents })).content).toBe(
      "a1 completed.",
    );
    expect((await output("a2", {}, { agents })).isError).toBe(true);
    expect(asked).toEqual(["output a1", "stop a1", "output a2"]);
  });
});

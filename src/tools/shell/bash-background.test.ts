import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createRedactor } from "../../redact/redactor.ts";
import { bashTool, foregroundBashTool } from "./bash.ts";
import { commands, ToolBench, until } from "./shell-tools-fixture.ts";
import type { TaskNote } from "./shell-tasks.ts";
import { taskOutputTool } from "../agents/task-output.ts";
import { taskStopTool } from "../agents/task-stop.ts";
import type { TaskReport } from "../agents/tasks.ts";
import { toolSpec } from "../tool.ts";

let bench: ToolBench;
let notes: TaskNote[];

beforeEach(async () => {
  bench = await ToolBench.create();
  notes = [];
  bench.workbench.notify = (note) => notes.push(note);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await bench[Symbol.asyncDispose]();
});

interface Launched {
  id: string;
  file: string;
  content: string;
}

async function launch(command: string, input: object = {}): Promise<Launched> {
  const output = await bench.call(bashTool, { command, run_in_background: true, ...input });
  const { backgroundTaskId, outputFile } = output.data as Record<string, string>;
  return { id: backgroundTaskId ?? "", file: outputFile ?? "", content: output.content };
}

async function ended({ id }: Launched): Promise<TaskReport> {
  return (await bench.call(taskOutputTool, { task_id: id, timeout: 600_000 })).data as TaskReport;
}

async function stop({ id }: Launched) {
  return bench.call(taskStopTool, { task_id: id });
}

const kept = ({ file }: Launched): string => readFileSync(file, "utf8");

describe("a command in the background", () => {
  test("answers at once with an id and a private file that can be tailed", async () => {
    const task = await launch("echo first; until [ -e go ]; do sleep 0.01; done; echo second");
    expect(task.id).toMatch(/^b[0-9a-f]{8}$/);
    expect(task.content).toContain(
      `Running in the background as ${task.id}. Its output goes to ${task.file}: Read it at any time.`,
    );
    await until(() => kept(task) === "first\n");
    expect(statSync(task.file).mode & 0o777).toBe(0o600);
    expect(statSync(join(bench.directory, "tasks")).mode & 0o777).toBe(0o700);
    await writeFile(join(bench.root, "go"), "");
    expect(await ended(task)).toMatchObject({ state: "completed", exitCode: 0, timedOut: false });
    expect(kept(task)).toBe("first\nsecond\n[exit code 0]\n");
  });

  test("names only the tools that the agent has", async () => {
    const input = { command: "true", run_in_background: true };
    const bare = await bench.call(bashTool, input);
    expect(bare.content).not.toMatch(/Task(?:Output|Stop)/);
    const full = await bench.call(bashTool, input, { hasTool: () => true });
    expect(full.content).toMatch(/TaskOutput waits for its end\.[^]*TaskStop ends it/);
  });

  test("has no stdin, and its cd does not move the shell", async () => {
    await mkdir(join(bench.root, "inner"));
    const task = await launch('cd inner; pwd; read line; echo "$? [$line] ${BASH_ENV-unset}"');
    expect((await ended(task)).content).toBe(`${join(bench.root, "inner")}\n1 [] unset\n`);
    expect(bench.workbench.cwd).toBe(bench.root);
    expect((await bench.call(bashTool, { command: "pwd" })).content).toBe(`${bench.root}\n`);
  });

  test("starts where the shell stands, and outlives the timeout of calls", async () => {
    await mkdir(join(bench.root, "inner"));
    await bench.call(bashTool, { command: "cd inner" });
    const task = await launch("sleep 0.2; pwd", { timeout: 1 });
    expect(await ended(task)).toMatchObject({
      state: "completed",
      content: `${join(bench.root, "inner")}\n`,
    });
  });

  test("that fails is failed, with its exit code in file, report and notification", async () => {
    const task = await launch("echo oops >&2; exit 3", { description: "Fail" });
    await until(() => notes.length === 1);
    expect(kept(task)).toBe("oops\n[exit code 3]\n");
    expect(await ended(task)).toMatchObject({ state: "failed", exitCode: 3, content: "oops\n" });
    expect(notes).toEqual([
      {
        mailId: task.id,
        text: [
          "<task-notification>",
          `<task-id>${task.id}</task-id>`,
          "<tool-use-id>call-1</tool-use-id>",
          `<output-file>${task.file}</output-file>`,
          "<status>failed</status>",
          '<summary>Background command "Fail" failed (exit code 3)</summary>',
          "</task-notification>",
        ].join("\n"),
      },
    ]);
  });

  test("is told of once, and not at all by whom a call already waits for it", async () => {
    const waited = ended(await launch("until [ -e go ]; do sleep 0.01; done"));
    await writeFile(join(bench.root, "go"), "");
    await waited;
    const told = await launch("true");
    await until(() => notes.length > 0);
    await ended(told);
    expect(notes.map(({ mailId }) => mailId)).toEqual([told.id]);
  });

  test("is described in one line, whatever it is", async () => {
    await launch(`echo a\n${"echo word\n".repeat(100)}`);
    await until(() => notes.length === 1);
    const summary = /<summary>(.*)<\/summary>/.exec(notes[0]?.text ?? "")?.[1] ?? "";
    expect(summary).toMatch(
      /^Background command "echo a echo word .* …" completed \(exit code 0\)$/,
    );
    expect(summary.length).toBeLessThan(260);
  });

  test("has ended when its shell has, whoever holds its output open", async () => {
    const task = await launch("sleep 300 & echo started");
    expect(await ended(task)).toMatchObject({ state: "completed", content: "started\n" });
    expect(commands(bench.mark)).toEqual(["sleep 300"]);
    expect((await stop(task)).data).toMatchObject({ state: "completed" });
    expect(commands(bench.mark)).toEqual([]);
  });

  test("leaves no directory of its own behind", async () => {
    vi.stubEnv("TMPDIR", bench.directory);
    const own = (): string[] =>
      readdirSync(bench.directory).filter((name) => name.startsWith("retinue-bash-"));
    const task = await launch("sleep 300");
    expect(own()).toHaveLength(1);
    await stop(task);
    await ended(await launch("true"));
    expect(own()).toEqual([]);
  });

  // Bubblewrap is there, and says itself that it does not find bash.
  test.skipIf(ToolBench.confinedTo)(
    "is refused with a remedy where bash is not there, and is no task then",
    async () => {
      Object.assign(bench.workbench, { env: { PATH: "/nowhere" } });
      const { content, isError } = await bench.call(bashTool, {
        command: "true",
        run_in_background: true,
      });
      expect({ content, isError }).toEqual({
        content: expect.stringContaining("bash could not be started"),
        isError: true,
      });
      const [file = ""] = await readdir(join(bench.directory, "tasks"));
      const task_id = file.replace(".output", "");
      expect((await bench.call(taskOutputTool, { task_id })).content).toContain("unknown task_id");
      expect(notes).toEqual([]);
    },
  );

  test("is not started for an agent that has ended", async () => {
    const signal = AbortSignal.abort(new Error("over"));
    const input = { command: "touch made", run_in_background: true };
    await expect(bench.call(bashTool, input, { signal })).rejects.toThrow("over");
    expect(existsSync(join(bench.root, "made"))).toBe(false);
  });

  test("goes on when the call that started it is long over", async () => {
    const abort = new AbortController();
    const output = await bench.call(
      bashTool,
      { command: "until [ -e go ]; do sleep 0.01; done; echo done", run_in_background: true },
      { signal: abort.signal },
    );
    abort.abort();
    await writeFile(join(bench.root, "go"), "");
    const { backgroundTaskId: task_id } = output.data as { backgroundTaskId: string };
    expect((await bench.call(taskOutputTool, { task_id })).data).toMatchObject({
      state: "completed",
      content: "done\n",
    });
  });
});

describe("the output file", () => {
  test("holds no secret, also when it comes in two pieces", async () => {
    const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    Object.assign(bench.workbench, { redactor: createRedactor({ env: {} }) });
    const task = await launch(
      `printf 'key ${secret.slice(0, 20)}'; sleep 0.2; echo '${secret.slice(20)} end'`,
    );
    expect((await ended(task)).content).toBe(`key ${secret} end\n`);
    expect(kept(task)).not.toContain(secret.slice(20));
    expect(kept(task)).toMatch(/^key \S+ end\n\[exit code 0\]\n$/);
  });

  test("that cannot be made does not keep the command from running, and the report says so", async () => {
    Object.assign(bench.workbench, { tasksDir: "/dev/null/tasks" });
    const output = await bench.call(bashTool, { command: "echo here", run_in_background: true });
    expect(output.content).toContain("Its output cannot be saved (ENOTDIR");
    const { backgroundTaskId: task_id } = output.data as { backgroundTaskId: string };
    const shown = await bench.call(taskOutputTool, { task_id });
    expect(shown.content).toMatch(
      /^\w+ completed \(exit code 0\)\nhere\n\[The file does not hold all of the output: ENOTDIR/,
    );
    expect(shown.data).toMatchObject({ outputFile: null });
  });

  test.skipIf(!existsSync("/dev/full"))(
    "on a full disk ends neither the command nor the agent",
    async () => {
      const task = await launch("until [ -e go ]; do sleep 0.01; done; seq 1 20000; echo last");
      // From here on every write to the file fails as on a full disk.
      const [descriptor = -1] = openFiles();
      closeSync(descriptor);
      expect(openSync("/dev/full", "a")).toBe(descriptor);
      await writeFile(join(bench.root, "go"), "");
      const report = await ended(task);
      expect(report).toMatchObject({ state: "completed", exitCode: 0 });
      expect(report.content).toMatch(/\n20000\nlast\n$/);
      expect(report.notes).toEqual([expect.stringContaining("ENOSPC")]);
    },
  );

  test("takes the first 64 MiB of a gigabyte, says so, and the memory stays small", async () => {
    const before = process.memoryUsage.rss();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
    const task = await launch("yes 0123456789abcde | head -c 1073741824; echo; echo last");
    const report = await ended(task);
    clearInterval(watch);
    expect(report).toMatchObject({ state: "completed", exitCode: 0 });
    expect(report.content).toMatch(/0123456789abcde\n\nlast\n$/);
    expect(report.content.length).toBeLessThanOrEqual(30_000);
    expect(report.omitted).toBe(1024 ** 3 + 6 - report.content.length);
    const said = "[only the first 64 MiB were kept]\n[exit code 0]\n";
    expect(statSync(task.file).size).toBe(64 * 1024 ** 2 + said.length);
    expect(kept(task).endsWith(`0123456789abcde\n${said}`)).toBe(true);
    expect(most - before).toBeLessThan(250 * 1024 ** 2);
  }, 120_000);

  test("that was replaced is not read in its place", async () => {
    const other = join(bench.directory, "other");
    await writeFile(other, "not yours");
    const task = await launch("echo mine");
    await ended(task);
    await Promise.all(Array.from({ length: 32 }, async () => ended(await launch("true"))));
    let { content } = await ended(task);
    while (content === "mine\n") ({ content } = await ended(task));
    expect(content).toBe("mine\n[exit code 0]\n");
    rmSync(task.file);
    expect((await ended(task)).content).toContain("cannot be read any more: ENOENT");
    symlinkSync("/etc/hostname", task.file);
    expect((await ended(task)).content).toContain("cannot be read any more: ELOOP");
    rmSync(task.file);
    linkSync(other, task.file);
    expect((await ended(task)).content).toContain("cannot be read any more: it was replaced");
  }, 60_000);
});

describe("many commands", () => {
  test("run at once, each with an id and a file of its own, and all are told of", async () => {
    const tasks = await Promise.all(
      Array.from({ length: 100 }, (_, n) => launch(`echo ${n}; exit $((${n} % 2))`)),
    );
    await until(() => notes.length === 100);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(100);
    expect(tasks.map(kept)).toEqual(tasks.map((_, n) => `${n}\n[exit code ${n % 2}]\n`));
    expect(notes.map(({ mailId }) => mailId).toSorted()).toEqual(
      tasks.map(({ id }) => id).toSorted(),
    );
    // The first ones are read from their files by now.
    const contents = await Promise.all(tasks.map(async (task) => (await ended(task)).content));
    for (const [n, content] of contents.entries())
      expect(content).toMatch(new RegExp(`^${n}\\n(?:\\[exit code ${n % 2}\\]\\n)?$`));
    expect(contents.filter((content, n) => content === `${n}\n`)).toHaveLength(32);
  }, 120_000);

  test("leave memory when 128 others have ended since; what runs stays, and files do", async () => {
    const running = await launch("sleep 300");
    const first = await launch("echo first");
    await ended(first);
    const others = [];
    for (let n = 0; n < 8; n += 1)
      others.push(...(await Promise.all(Array.from({ length: 16 }, () => launch("true")))));
    const second = others[0] ?? first;
    await until(() => !bench.workbench.shells.has(first.id));
    expect((await bench.call(taskOutputTool, { task_id: first.id })).content).toMatch(
      /^unknown task_id: .* has only its output file left\.$/,
    );
    expect(kept(first)).toBe("first\n[exit code 0]\n");
    expect(await ended(second)).toMatchObject({ state: "completed", exitCode: 0 });
    expect(others.filter(({ id }) => bench.workbench.shells.has(id))).toHaveLength(128);
    expect(await stop(running)).toMatchObject({ data: { state: "stopped" } });
  }, 120_000);

  test("all end with their agent, untold, each with a last line", async () => {
    const stubborn = "trap '' TERM; setsid sleep 300 & echo up; while :; do sleep 300; done";
    const tasks = await Promise.all(Array.from({ length: 10 }, () => launch(stubborn)));
    await until(() => tasks.every((task) => kept(task) === "up\n"));
    expect(openFiles()).toHaveLength(10);
    await bench.workbench[Symbol.asyncDispose]();
    expect(commands(bench.mark)).toEqual([]);
    for (const task of tasks) expect(kept(task)).toBe("up\n[stopped when its agent ended]\n");
    expect(notes).toEqual([]);
    expect(openFiles()).toEqual([]);
  }, 60_000);
});

/** Descriptors of output files that this process holds open. */
function openFiles(): number[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(join(bench.directory, "tasks")) ? [Number(fd)] : [];
    } catch {
      return [];
    }
  });
}

test("where the background is disabled the field is not offered, and asking for it runs the command as usual", async () => {
  const fields = (tool: typeof bashTool) =>
    Object.keys(toolSpec(tool).input_schema.properties ?? {});
  expect(fields(bashTool)).toEqual([...fields(foregroundBashTool), "run_in_background"]);
  const output = await bench.call(foregroundBashTool, {
    command: "echo here",
    run_in_background: true,
  });
  expect(output.content).toBe("here\n");
});

import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bashTool } from "./bash.ts";
import { commands, marked, ToolBench, until } from "./shell-tools-fixture.ts";
import type { ToolOutput } from "../tool.ts";

let bench: ToolBench;

beforeEach(async () => {
  bench = await ToolBench.create();
});

afterEach(async () => {
  await bench[Symbol.asyncDispose]();
});

function bash(command: string, options: { timeout?: number; signal?: AbortSignal } = {}) {
  const { signal, ...input } = options;
  return bench.call(bashTool, { command, ...input }, signal === undefined ? {} : { signal });
}

const waitFor = (file: string): string => `until [ -e ${file} ]; do sleep 0.01; done`;

describe("a command", () => {
  test("answers with what it printed", async () => {
    expect(await bash("echo out; echo err >&2")).toEqual({
      content: expect.stringMatching(/^(out\nerr|err\nout)\n$/),
      data: { stdout: "out\n", stderr: "err\n", interrupted: false, isImage: false },
    });
  });

  test("shows stdout and stderr in the order in which they arrived", async () => {
    const call = bash(`echo 1; ${waitFor("a")}; echo 2 >&2; ${waitFor("b")}; echo 3`);
    await until(() => bench.progress.includes("1"));
    await writeFile(join(bench.root, "a"), "");
    await until(() => bench.progress.includes("2"));
    await writeFile(join(bench.root, "b"), "");
    expect((await call).content).toBe("1\n2\n3\n");
  });

  test.each([
    ["exit 3", "Exit code 3"],
    ["false", "Exit code 1"],
    [
      "no-such-command-at-all",
      "Exit code 127\nbash: line 1: no-such-command-at-all: command not found\n",
    ],
    ["kill -KILL $$", "Exit code 137"],
    ["set -e; false; echo unreachable", "Exit code 1"],
  ])("that fails (%s) is an error with its exit code", async (command, content) => {
    expect(await bash(command)).toMatchObject({ content, isError: true });
  });

  test("with a syntax error gets bash's own message and line number", async () => {
    const { content, isError } = await bash("echo first\nif then");
    expect(isError).toBe(true);
    expect(content).toContain("first\n");
    expect(content).toContain("line 2: syntax error near unexpected token `then'");
  });

  test.each([
    ["cat <<'END'\n$HOME 'quoted'\nEND", "$HOME 'quoted'\n"],
    ["cat <<END; echo after\ntext\nEND", "text\nafter\n"],
    ["printf 'no newline'", "no newline"],
    ["# only a comment", "(no output)"],
    ["echo $0 $# ${BASH_ENV-unset} $-", "bash 0 unset hBc\n"],
    ['read line; echo "$? [$line]"', "1 []\n"],
    ["trap 'echo mine' EXIT", "mine\n"],
    ["set -x; :", "+ :\n"],
    ["bash -c 'echo nested'", "nested\n"],
  ])("behaves as in plain bash: %s", async (command, content) => {
    expect(await bash(command)).toMatchObject({ content });
  });

  test("may print bytes that are no UTF-8, and characters that arrive in two pieces", async () => {
    expect(
      (await bash(String.raw`printf '\xff\xfe|'; printf '\xe2\x82'; sleep 0.1; printf '\xac'`))
        .content,
    ).toBe("\ufffd\ufffd|€");
    expect((await bash(String.raw`printf '\xe2\x82'`)).content).toBe("\ufffd");
  });

  test("shows the last line of its output while it runs", async () => {
    const call = bash(`echo 1; printf 'half\\rwhole'; ${waitFor("a")}`);
    await until(() => bench.progress.at(-1) === "whole");
    await writeFile(join(bench.root, "a"), "");
    await call;
    expect(["1", "half"]).toEqual(expect.arrayContaining(bench.progress.slice(0, -1)));
  });

  test.skipIf(ToolBench.sandbox ?? ToolBench.confinedTo)(
    "removes its temporary directory",
    async () => {
      const { TMPDIR = "/tmp" } = process.env;
      process.env["TMPDIR"] = bench.directory;
      try {
        expect((await bash("ls $TMPDIR; exit 1")).content).toContain("retinue-bash-");
      } finally {
        process.env["TMPDIR"] = TMPDIR;
      }
      expect(await readdir(bench.directory)).toEqual(["root"]);
    },
  );
});

describe("the working directory", () => {
  test("is kept for the next command, also when the command failed", async () => {
    await mkdir(join(bench.root, "it's a dir"));
    expect((await bash('cd "it\'s a dir"; exit 4')).isError).toBe(true);
    expect((await bash("pwd")).content).toBe(`${join(bench.root, "it's a dir")}\n`);
  });

  test("does not follow a subshell, nor a command with an EXIT trap of its own", async () => {
    await bash("mkdir a; (cd a); trap : EXIT; cd a");
    expect(bench.workbench.cwd).toBe(bench.root);
  });

  test("is reset, with a note, when it lies outside the agent's own", async () => {
    const { content, isError } = await bash("cd / && pwd");
    expect(content).toContain(
      `/ is outside the working directory; the next command runs in ${bench.root}`,
    );
    expect(isError).toBeUndefined();
    expect((await bash("pwd")).content).toBe(`${bench.root}\n`);
  });

  test("is reset when a link leads outside, or to a directory with the same beginning", async () => {
    await mkdir(`${bench.root}-other`);
    await symlink(`${bench.root}-other`, join(bench.root, "link"));
    // In the tight sandbox there is nothing outside to go to.
    const refused =
      ToolBench.confinedTo === null ? "is outside the working directory" : "No such file";
    expect((await bash("cd link")).content).toContain(refused);
    expect(bench.workbench.cwd).toBe(bench.root);
  });

  test("is reset, with a note, when the command deletes it", async () => {
    expect((await bash("mkdir gone; cd gone; rmdir ../gone")).content).toContain(
      "directory was deleted",
    );
    expect(bench.workbench.cwd).toBe(bench.root);
  });

  test("is reset when someone else deleted it meanwhile, and what was decided for it does not run", async () => {
    await bash("mkdir gone; cd gone");
    await bash(`rmdir ${join(bench.root, "gone")} && exec true`);
    expect(await bash("touch ran")).toMatchObject({
      isError: true,
      content: expect.stringContaining(`${join(bench.root, "gone")} does not exist any more`),
    });
    expect((await bash("pwd; ls")).content).toBe(`${bench.root}\n`);
  });

  test("stays spelled through a link when the agent's own is one", async () => {
    const link = join(bench.directory, "link");
    await symlink(bench.root, link);
    await using linked = await ToolBench.create(link);
    await linked.call(bashTool, { command: "mkdir inner; cd inner" });
    const { content } = await linked.call(bashTool, { command: "pwd" });
    expect(content).toBe(`${join(link, "inner")}\n`);
  });

  test("that is gone together with the agent's own is a failure that says so", async () => {
    Object.assign(bench.workbench, { root: "/no/such/root", cwd: "/no/such/root" });
    expect(await bash("pwd")).toMatchObject({
      isError: true,
      content: expect.stringContaining("does not exist any more"),
    });
  });
});

describe("a long output", () => {
  const path = (output: ToolOutput): string =>
    (output.data as { rawOutputPath: string }).rawOutputPath;

  test("of exactly the cap is shown whole and leaves no file", async () => {
    const output = await bash("printf '%030000d' 7");
    expect(output.content).toHaveLength(30_000);
    expect(output.data).not.toHaveProperty("rawOutputPath");
    await expect(stat(bench.workbench.resultsDir)).rejects.toThrow("ENOENT");
  });

  test("is shown without its middle and kept whole in a private file", async () => {
    const output = await bash("seq 1 20000; echo end >&2");
    const whole = await readFile(path(output), "utf8");
    expect(whole.split("\n").filter((line) => line !== "end")).toEqual([
      ...Array.from({ length: 20_000 }, (_, index) => `${index + 1}`),
      "",
    ]);
    expect(output.content.slice(0, 15_000)).toBe(whole.slice(0, 15_000));
    expect(output.content.slice(-15_000)).toBe(whole.slice(-15_000));
    expect(output.content).toContain(
      `[… ${whole.length - 30_000} characters left out; the whole output is in ${path(output)}]`,
    );
    expect((await stat(path(output))).mode & 0o777).toBe(0o600);
    expect((await stat(bench.workbench.resultsDir)).mode & 0o777).toBe(0o700);
  });

  test("of hundreds of megabytes is cut in the file and does not fill the memory", async () => {
    const before = process.memoryUsage().rss;
    const output = await bash("yes 0123456789 | head -c 300000000; echo; echo last");
    expect(output.content).toContain("[… 299970006 characters left out; the first 64 MiB are in ");
    expect(output.content.endsWith("last\n")).toBe(true);
    expect((await stat(path(output))).size).toBe(64 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test("that never ends is ended by its timeout", async () => {
    const output = await bash("yes", { timeout: 500 });
    expect(output).toMatchObject({ isError: true, data: { interrupted: true } });
    expect(marked(bench.mark)).toEqual([]);
  });

  test("is shown also where it cannot be saved", async () => {
    Object.assign(bench.workbench, { resultsDir: "/dev/null/results" });
    const output = await bash("seq 1 20000");
    expect(output.content).toContain("characters left out; they could not be saved: ENOTDIR");
    expect(output.data).not.toHaveProperty("rawOutputPath");
  });

  test("is kept beside others even when the call's id is no file name", async () => {
    const output = await bashTool.execute({ command: "seq 1 20000", timeout: 60_000 } as never, {
      agentId: "a" as never,
      agentType: "x",
      callId: "../../up",
      signal: new AbortController().signal,
      workbench: bench.workbench,
      realPath: (path) => path,
      progress: () => {},
    });
    expect(path(output)).toBe(join(bench.workbench.resultsDir, "a.call.______up.txt"));
  });

  test("never shows half a character at a cut", async () => {
    const output = await bash("printf x; for i in {1..20000}; do printf 😀; done");
    expect(output.content.isWellFormed()).toBe(true);
  });
});

describe("processes", () => {
  const stubborn =
    "trap '' TERM; sleep 300 & setsid sleep 300 & (setsid sleep 300 &) & echo started; wait; sleep 300";

  test("of an aborted command are all gone when the abort is reported", async () => {
    const stop = new AbortController();
    const reason = new Error("stopped by the user");
    const call = bash(stubborn, { signal: stop.signal });
    await until(() => marked(bench.mark).filter((command) => command === "sleep 300").length >= 3);
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(marked(bench.mark)).toEqual([]);
  });

  test("are not started for a call that was aborted before", async () => {
    await expect(bash("touch started", { signal: AbortSignal.abort("no") })).rejects.toBe("no");
    await expect(stat(join(bench.root, "started"))).rejects.toThrow("ENOENT");
  });

  test("of a command that takes too long are all gone, and what it printed is kept", async () => {
    const output = await bash(stubborn, { timeout: 1500 });
    expect(output).toMatchObject({
      isError: true,
      data: { stdout: "started\n", interrupted: true },
    });
    expect(output.content).toMatch(/^Timed out after 1500 ms.*\nstarted\n$/);
    expect(marked(bench.mark)).toEqual([]);
  });

  test("in the background do not hold up the call and live until the agent ends", async () => {
    expect((await bash("sleep 300 & setsid sleep 300 & echo returned")).content).toBe("returned\n");
    await until(() => commands(bench.mark).every((command) => command === "sleep 300"));
    await bash("sleep 301", { timeout: 200 });
    expect(commands(bench.mark)).toEqual(["sleep 300", "sleep 300"]);
    const marks = marked(bench.mark).length;
    const killed = await bench.workbench.processes.killAll();
    // In a sandbox the one that waits for the others starts a short pause again and again.
    const pauses = ToolBench.sandbox === undefined && ToolBench.confinedTo === null ? 0 : 1;
    expect(Math.abs(killed - marks)).toBeLessThanOrEqual(pauses);
    expect(marked(bench.mark)).toEqual([]);
  });

  test("in the background survive their own later output", async () => {
    await bash("(while sleep 0.01; do echo noise; echo x >> written; done) &");
    const lines = async (): Promise<number> =>
      (await readFile(join(bench.root, "written"), "utf8")).split("\n").length;
    await until(() => marked(bench.mark).length > 0);
    await bash("while [ $(wc -l < written) -lt 30 ]; do sleep 0.01; done");
    expect(await lines()).toBeGreaterThan(29);
    expect(marked(bench.mark)).not.toEqual([]);
  });

  test("do not see variables that would change how bash reads the command", async () => {
    process.env["BASH_FUNC_ls%%"] = "() { echo hijacked; }";
    process.env["SHELLOPTS"] = "xtrace";
    try {
      expect((await bash("ls; echo done")).content).toBe("done\n");
    } finally {
      delete process.env["BASH_FUNC_ls%%"];
      delete process.env["SHELLOPTS"];
    }
  });
});

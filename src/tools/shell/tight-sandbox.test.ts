import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { bubblewrap } from "../../platform/sandbox/bubblewrap.ts";
import { TightSandbox } from "../../platform/sandbox/tight-sandbox.ts";
import { bashTool } from "./bash.ts";
import { commandOf, listening, living } from "./sandbox-fixture.ts";
import { isAlive, ToolBench, until } from "./shell-tools-fixture.ts";

const found = await bubblewrap();
const missing = "missing" in found ? found.missing : undefined;
const why = missing === undefined ? "" : ` (not here: ${missing})`;
const server = await listening();
const { port } = server.address() as AddressInfo;
const nap = `sleep ${400_000 + process.pid}`;

afterAll(() => void server.close());

let bench: ToolBench;
let home: string;

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "retinue-home-")));
  write(join(home, ".ssh/key"), "the secret");
  vi.stubEnv("HOME", home);
  bench = await ToolBench.create();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await bench[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

function write(file: string, text = ""): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd }).toString();

function repository(directory: string): void {
  mkdirSync(directory, { recursive: true });
  git(directory, "init", "-q", "-b", "main");
  write(join(directory, "package/file"), "1\n");
  write(join(directory, "other/file"), "1\n");
  git(directory, "add", ".");
  git(directory, "commit", "-qm", "first");
}

const look = (command: string, options: { timeout?: number } = {}, on = bench) =>
  on.call(bashTool, { command, ...options }, { confinedTo: "look" });
const edit = (command: string) => bench.call(bashTool, { command }, { confinedTo: "edit" });

describe.skipIf(missing !== undefined)(`a command that nobody approved${why}`, () => {
  test("reaches no server", async () => {
    let requests = 0;
    const count = (): void => void (requests += 1);
    server.on("connection", count);
    const { content, isError } = await look(`exec 5<>/dev/tcp/127.0.0.1/${port}`);
    server.off("connection", count);
    expect(isError).toBe(true);
    expect(content).toMatch(/Connection refused[^]*has no network\. If it needs more, [^\n]+\]$/);
    expect(requests).toBe(0);
    // The same reaches it without the sandbox.
    const free = await bench.call(bashTool, {
      command: `exec 5<>/dev/tcp/127.0.0.1/${port} && echo open`,
    });
    expect(free.content).toBe("open\n");
  });

  test.each(["~/.ssh/key", "$HOME/.ssh/key", "link", "directory/key", "/etc/shadow"])(
    "does not read %s, whatever it was taken for",
    async (path) => {
      symlinkSync(join(home, ".ssh/key"), join(bench.root, "link"));
      symlinkSync(join(home, ".ssh"), join(bench.root, "directory"));
      for (const run of [look, edit]) {
        const { content, isError } = await run(`cat ${path}`);
        expect(isError).toBe(true);
        expect(content).toContain("No such file or directory\n\n[This command needed no approval");
      }
    },
  );

  test("sees no process but its own, and no descriptor that leads out", async () => {
    expect((await look(`kill -0 ${process.pid}`)).isError).toBe(true);
    const { content } = await look("cat /proc/[0-9]*/comm | sort -u");
    expect(content).toMatch(/^bash\nbwrap\n(?:cat\n)?(?:sort\n)?$/);
    const ends = (await look("readlink /proc/self/fd/*")).content.trim().split("\n");
    const leading = ends.filter((end) => end.startsWith("/") && !/^\/(?:dev|proc)\//.test(end));
    expect(leading).toEqual([expect.stringMatching(/retinue-mark~.* \(deleted\)$/)]);
  });

  test("sees its working directory, results and outputs, and system programs", async () => {
    write(join(bench.root, "file"), "inside");
    write(join(bench.workbench.resultsDir, "result.txt"), "result");
    write(join(bench.workbench.tasksDir, "task.output"), "output");
    const { content } = await look(
      `cat file ${bench.workbench.resultsDir}/* ${bench.workbench.tasksDir}/*; id -un; which git`,
    );
    expect(content).toBe(
      `insideresultoutput${execFileSync("id", ["-un"]).toString()}${execFileSync("which", ["git"]).toString()}`,
    );
  });

  test("writes nothing when it was to look", async () => {
    write(join(bench.root, "file"), "before");
    const paths = ["file", "new", "~/new", "~/.ssh/key", "/new", "/usr/new", "/etc/hosts"];
    const places = [...paths, `${bench.workbench.resultsDir}/new`];
    mkdirSync(bench.workbench.resultsDir);
    const { content } = await look(
      `for path in ${places.join(" ")}; do (echo x > $path) 2>/dev/null && echo "wrote $path"; done; rm -f file; mkdir new`,
    );
    expect(content).not.toContain("wrote");
    expect(content).toContain("Read-only file system");
    expect(content).toContain("writes nothing");
    expect(readFileSync(join(bench.root, "file"), "utf8")).toBe("before");
  });

  test("has room for temporary files, which nobody else sees", async () => {
    const { content } = await look(
      "f=$(mktemp); echo 1 > $f; echo 2 > /tmp/mine; cat $f /tmp/mine",
    );
    expect(content).toBe("1\n2\n");
    expect(existsSync("/tmp/mine")).toBe(false);
    expect((await look("ls /tmp | grep -c retinue-tools")).isError).toBe(true);
  });

  test("writes in the working directory when it was to edit, and not what is protected there", async () => {
    repository(bench.root);
    for (const file of [".claude/settings.json", ".mcp.json", "package/.envrc", "package/.git"])
      write(join(bench.root, file), "before");
    const tried = [
      ".git/hooks/pre-commit",
      ".git/config",
      ".git/new",
      ".claude/settings.json",
      ".claude/new",
      ".mcp.json",
      "package/.envrc",
      "package/.git",
    ];
    const before = execFileSync("find", [bench.root, "-printf", "%p %s\n"]).toString();
    const { content } = await edit(
      `for path in ${tried.join(" ")}; do
         (echo x > $path) 2>/dev/null && echo "wrote $path"
         [ -e $path ] && rm -f $path 2>/dev/null && echo "removed $path"
       done
       for path in .git .claude; do mv $path moved 2>/dev/null && echo "moved $path"; done
       echo tried`,
    );
    expect(content).toBe("tried\n");
    expect(execFileSync("find", [bench.root, "-printf", "%p %s\n"]).toString()).toBe(before);
    expect((await edit("mkdir new && echo 2 > new/file && rm -r other && ls")).content).toBe(
      "new\npackage\n",
    );
    expect(readFileSync(join(bench.root, "new/file"), "utf8")).toBe("2\n");
  });

  test("keeps the directory for the next call, and tells its exit code", async () => {
    mkdirSync(join(bench.root, "src"));
    expect((await look("cd src && pwd")).content).toBe(`${join(bench.root, "src")}\n`);
    expect((await look("pwd; exit 7")).content).toBe(`Exit code 7\n${join(bench.root, "src")}\n`);
    expect((await look("kill -TERM $$")).content).toBe("Exit code 143");
  });

  const escaping = `${nap} & setsid ${nap} & (env -i setsid ${nap} &) & env -i setsid -f ${nap};`;
  const sleepers = (): number[] =>
    living().filter((pid) => commandOf(pid) === `${nap.replace(" ", "\0")}\0` && isAlive(pid));

  test("leaves nothing when it takes too long, whatever its processes did to escape", async () => {
    const done = look(`${escaping} ${nap}`, { timeout: 2000 });
    await until(() => sleepers().length === 5);
    expect((await done).content).toContain("Timed out after 2000 ms");
    expect(sleepers()).toEqual([]);
  });

  test("leaves nothing when its agent ends", async () => {
    await look(`${escaping} true`);
    expect(sleepers()).toHaveLength(4);
    await bench.workbench[Symbol.asyncDispose]();
    expect(sleepers()).toEqual([]);
  });

  test("leaves nothing when we are killed", async () => {
    const child = spawn(process.execPath, [
      "--input-type=module",
      "-e",
      `import { ToolBench } from ${JSON.stringify(new URL("./shell-tools-fixture.ts", import.meta.url).href)};
       import { bashTool } from ${JSON.stringify(new URL("./bash.ts", import.meta.url).href)};
       await using bench = await ToolBench.create(${JSON.stringify(bench.root)});
       await bench.call(bashTool, { command: ${JSON.stringify(`${escaping} ${nap}`)} }, { confinedTo: "look" });`,
    ]);
    await until(() => sleepers().length === 5);
    child.kill("SIGKILL");
    await once(child, "exit");
    await until(() => sleepers().length === 0);
  });

  test("runs beside a hundred others", async () => {
    write(join(bench.root, "file"), "inside");
    const numbers = Array.from({ length: 100 }, (_, at) => at);
    const ended = await Promise.all(
      numbers.map((number) => look(`cat file; cat ~/.ssh/key; exit ${number}`)),
    );
    expect(ended.map(({ content }) => content.split("\n")[0])).toEqual(
      numbers.map((number) =>
        number === 0 ? expect.stringContaining("inside") : `Exit code ${number}`,
      ),
    );
    expect(ended.filter(({ content }) => content.includes("the secret"))).toEqual([]);
  });

  test("finds programs in the home directory, and nothing else of it", async () => {
    write(join(home, ".cargo/bin/tool"), "#!/bin/sh\necho tool\n");
    write(join(home, "versions/1/linked"), "#!/bin/sh\necho linked\n");
    write(join(home, "bin/own"), "#!/bin/sh\necho own\n");
    write(join(home, "lib/notes"), "the secret");
    write(join(home, ".cargo/credentials"), "the secret");
    symlinkSync(join(home, "versions/1/linked"), join(home, ".cargo/bin/linked"));
    symlinkSync(join(home, ".ssh/key"), join(home, ".cargo/bin/key"));
    for (const file of [".cargo/bin/tool", "versions/1/linked", "bin/own"])
      chmodSync(join(home, file), 0o755);
    const path = `${home}/.cargo/bin:${home}/bin:${home}:${process.env["PATH"]}`;
    Object.assign(bench.workbench, { env: { PATH: path } });
    const { content } = await look(`tool; linked; own; find ${home} -type f | sort`);
    expect(content.split("\n")).toEqual([
      "tool",
      "linked",
      "own",
      ...[".cargo/bin/tool", "bin/own", "versions/1/linked"].map((file) => join(home, file)),
      "",
    ]);
  });

  test("is not shown what a program of the repository's own is a link to", async () => {
    write(join(home, "private"), "the secret");
    chmodSync(join(home, "private"), 0o755);
    mkdirSync(join(bench.root, "bin"));
    symlinkSync(join(home, "private"), join(bench.root, "bin/tool"));
    const path = `${bench.root}/bin:${process.env["PATH"]}`;
    Object.assign(bench.workbench, { env: { PATH: path } });
    expect((await look("cat bin/tool")).content).not.toContain("the secret");
  });

  test("works where the working directory is the home directory, or reached through a link", async () => {
    const link = join(bench.directory, "link");
    symlinkSync(home, link);
    for (const root of [home, link]) {
      await using there = await ToolBench.create(root);
      expect((await look("pwd; cat .ssh/key", {}, there)).content).toBe(`${root}\nthe secret`);
    }
  });

  describe("in a repository", () => {
    test("sees its state and writes no index", async () => {
      repository(bench.root);
      write(join(bench.root, "other/file"), "2\n");
      const index = join(bench.root, ".git/index");
      const before = statSync(index).mtimeMs;
      expect((await look("git status --short && git log --format=%s")).content).toBe(
        " M other/file\nfirst\n",
      );
      await edit("git status");
      expect(statSync(index).mtimeMs).toBe(before);
    });

    test("sees all of it from below its root, and writes only below", async () => {
      repository(bench.root);
      await using below = await ToolBench.create(join(bench.root, "package"));
      const run = (command: string) => below.call(bashTool, { command }, { confinedTo: "edit" });
      expect((await run("echo 2 > file; git status --short")).content).toBe(" M file\n");
      expect((await run("echo 2 > ../other/file")).content).toContain("Read-only file system");
    });

    test("sees it from a worktree of it, but not the files of the main one", async () => {
      repository(bench.root);
      const tree = join(bench.directory, "tree");
      git(bench.root, "worktree", "add", "-q", tree);
      await using other = await ToolBench.create(tree);
      expect((await look("git status --short --branch", {}, other)).content).toBe("## tree\n");
      expect((await look(`cat ${bench.root}/other/file`, {}, other)).isError).toBe(true);
    });

    test("sees it from a submodule", async () => {
      repository(join(bench.directory, "library"));
      repository(bench.root);
      git(
        bench.root,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../library",
      );
      await using inner = await ToolBench.create(join(bench.root, "library"));
      expect((await look("git log --format=%s", {}, inner)).content).toBe("first\n");
      expect((await look("cat ../other/file", {}, inner)).isError).toBe(true);
    });

    test.each(["gitdir: ", "gitdir: /../"])(
      "is not shown a directory only because a .git file names it (%j)",
      async (start) => {
        write(join(home, ".ssh/HEAD"), "ref: refs/heads/main\n");
        write(join(home, ".ssh/config"), `Host *\n`);
        write(join(bench.root, ".git"), `${start}${join(home, ".ssh")}\n`);
        const { content } = await look(`cat ${home}/.ssh/key; git status`);
        expect(content).not.toContain("the secret");
        expect(content).toContain("not a git repository");
      },
    );

    test("is not shown the home directory because that is one", async () => {
      repository(home);
      mkdirSync(join(home, "project"));
      await using below = await ToolBench.create(join(home, "project"));
      expect((await look("git status; cat ~/other/file", {}, below)).content).toContain(
        "not a git repository",
      );
      expect((await look("cat ~/other/file", {}, below)).isError).toBe(true);
    });

    test("finds no program for diffs in its environment", async () => {
      Object.assign(bench.workbench, { env: { GIT_EXTERNAL_DIFF: "evil" } });
      const shown = 'echo "diff: $GIT_EXTERNAL_DIFF, protocols: ${GIT_ALLOW_PROTOCOL-any}"';
      expect((await look(shown)).content).toBe("diff: , protocols: \n");
      Object.assign(bench.workbench, { tightSandbox: undefined });
      expect((await look(shown)).content).toBe("diff: , protocols: \n");
      const { content } = await bench.call(bashTool, { command: shown }, { confinedTo: null });
      expect(content).toBe("diff: evil, protocols: any\n");
    });

    test("ignores what the person ignores everywhere, and runs no monitor", async () => {
      repository(bench.root);
      write(join(home, ".config/git/ignore"), "*.mine\n");
      write(
        join(home, ".gitconfig"),
        "[status]\n\tshort = true\n[core]\n\tfsmonitor = touch ran\n",
      );
      for (const file of ["a.mine", "b"]) write(join(bench.root, file));
      expect((await edit("git status")).content).toBe("?? b\n");
      expect(existsSync(join(bench.root, "ran"))).toBe(false);
    });
  });

  test("in the sandbox of the settings sees nothing that they deny, and writes nothing", async () => {
    for (const file of ["secret/a", "secret/shown", "file.key", "kept/a", "free/a"])
      write(join(bench.root, file), `${file}\n`);
    const tightSandbox = new TightSandbox({
      directories: [bench.root],
      readable: [join(home, ".ssh")],
      own: [],
      forbidden: {
        denyRead: ["secret", "file.key", "~/.ssh"],
        allowRead: ["secret/shown", "~/.ssh/other"],
        denyWrite: ["kept"],
      },
    });
    Object.assign(bench.workbench, { tightSandbox });
    const { content } = await edit(
      "cat secret/a file.key secret/shown ~/.ssh/key free/a 2>/dev/null; for d in secret kept free; do (echo x > $d/new) 2>/dev/null && echo wrote $d; done",
    );
    expect(content).toMatch(/^secret\/shown\nfree\/a\nwrote free\n\n\[The sandbox hides [^\n]+\]$/);
  });

  test("hears which files the settings hide from it", async () => {
    for (const file of ["secret/a", "secret/shown", "free"])
      write(join(bench.root, file), `${file}\n`);
    const tightSandbox = new TightSandbox({
      directories: [bench.root],
      readable: [],
      own: [],
      forbidden: { denyRead: ["secret", "gone"], allowRead: ["secret/shown"], denyWrite: [] },
    });
    Object.assign(bench.workbench, { tightSandbox });
    const hidden = `[The sandbox hides ${join(bench.root, "secret")} from commands`;
    expect((await look("ls secret/")).content).toContain(hidden);
    expect((await look("cat 'secret/a'")).content).toContain(hidden);
    expect((await look("cat secret/shown free gone")).content).not.toContain("[The sandbox hides");
  });
});

test("a command that was approved runs as we do, beside the sandbox for others", async () => {
  const { content } = await bench.call(bashTool, { command: "cat ~/.ssh/key" });
  expect(content).toBe("the secret");
});

test("a command for which no sandbox can be set up does not run, and hears what to do", async () => {
  const program = join(bench.directory, "bwrap");
  write(program, "#!/bin/sh\necho bwrap: No space left on device >&2\nexit 1\n");
  chmodSync(program, 0o755);
  const limits = { directories: [bench.root], readable: [], own: [] };
  const tightSandbox = new TightSandbox(limits, () => Promise.resolve({ program }));
  Object.assign(bench.workbench, { tightSandbox });
  expect((await look("touch ran; cat ~/.ssh/key")).content).toMatch(
    /^Exit code 1\nbwrap: No space left on device\n\n\[.* or set sandbox\.autoApproved to false\.\]$/,
  );
  expect(existsSync(join(bench.root, "ran"))).toBe(false);
});

test("where bubblewrap does not work a command that nobody approved runs as we do", async () => {
  const limits = { directories: [bench.root], readable: [], own: [] };
  const tightSandbox = new TightSandbox(limits, () => Promise.resolve({ missing: "It is gone." }));
  Object.assign(bench.workbench, { tightSandbox });
  expect((await look("cat ~/.ssh/key")).content).toBe("the secret");
});

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { bashTool } from "./bash.ts";
import { commandOf, listening, living } from "./sandbox-fixture.ts";
import { isAlive, openSandbox, ToolBench, until, type OpenSandbox } from "./shell-tools-fixture.ts";

// Of this file alone, so that what is left behind can be counted while other tests run.
const outside = realpathSync(mkdtempSync(join(tmpdir(), "retinue-sandbox-")));
const { TMPDIR } = process.env;
process.env["TMPDIR"] = outside;
const nap = `sleep ${300_000 + process.pid}`;
const server = await listening();
const port = (server.address() as AddressInfo).port;
const secret = join(outside, "secret");
writeFileSync(secret, "the secret");

const opened = await openSandbox({
  network: { allowedDomains: [`127.0.0.1:${port}`], deniedDomains: [] },
  filesystem: { allowWrite: [], denyWrite: ["kept"], denyRead: [secret], allowRead: [] },
});
const why = typeof opened === "string" ? ` (not here: ${opened})` : "";
const sandbox = opened as OpenSandbox;

afterAll(() => {
  server.close();
  if (TMPDIR === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = TMPDIR;
  rmSync(outside, { recursive: true, force: true });
});

describe.skipIf(typeof opened === "string")(`a sandboxed command${why}`, () => {
  let bench: ToolBench;

  beforeEach(async () => {
    ToolBench.sandbox = sandbox;
    bench = await ToolBench.create();
  });

  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const bash = (command: string, options: { timeout?: number } = {}) =>
    bench.call(bashTool, { command, ...options });

  test("writes in the working directory and in its directory for temporary files", async () => {
    expect((await bash("echo 1 > file; cat file; echo 2 > $(mktemp) && echo ok")).content).toBe(
      "1\nok\n",
    );
    expect(readFileSync(join(bench.root, "file"), "utf8")).toBe("1\n");
  });

  test("keeps its temporary files for the next command, and they go with the agent", async () => {
    const { content } = await bash("echo 1 > $TMPDIR/kept; echo $TMPDIR");
    const temporary = content.trim();
    expect((await bash("cat $TMPDIR/kept")).content).toBe("1\n");
    expect(readdirSync(temporary)).toEqual(["kept"]);
    await bench[Symbol.asyncDispose]();
    expect(() => readdirSync(temporary)).toThrow("ENOENT");
  });

  test.each([
    ["beside the working directory", "../beside"],
    ["in the directory for everybody's temporary files", join(outside, "retinue-stray")],
    ["in the home directory", "~/retinue-stray"],
    ["in the system", "/etc/retinue-stray"],
    ["through a link", "link/stray"],
  ])("writes nothing %s, and hears why", async (_, path) => {
    symlinkSync(outside, join(bench.root, "link"));
    const { content, isError } = await bash(`echo x > ${path}`);
    expect(isError).toBe(true);
    expect(content).toContain("Read-only file system");
    expect(content).toContain("The user can add directories to sandbox.filesystem.allowWrite.]");
  });

  test("does not write, remove or move what is protected below the working directory", async () => {
    for (const directory of [".git/hooks", ".claude/agents", "package/.claude"])
      mkdirSync(join(bench.root, directory), { recursive: true });
    for (const file of ["pyrightconfig.json", "package/.git", "package/.mcp.json", "kept"])
      writeFileSync(join(bench.root, file), "before");
    const before = execFileSync("find", [bench.root, "-printf", "%p %s\n"]).toString();
    const paths = [
      ".git/hooks/pre-commit",
      ".git/config",
      ".claude/settings.json",
      ".claude/agents/new.md",
      ".mcp.json",
      ".bashrc",
      ".npmrc",
      "package/.mcp.json",
      "package/.claude/settings.json",
      "package/.git",
      "pyrightconfig.json",
      "kept",
    ];
    const { content } = await bash(
      `for path in ${paths.join(" ")}; do
         (echo x > $path) 2>/dev/null && echo "wrote $path"
         [ -e $path ] && rm -f $path 2>/dev/null && echo "removed $path"
         mv $path moved 2>/dev/null && echo "moved $path"
       done
       for path in .git .claude package; do mv $path moved 2>/dev/null && echo "moved $path"; done
       echo tried`,
    );
    expect(content).toBe("tried\n");
    expect(execFileSync("find", [bench.root, "-printf", "%p %s\n"]).toString()).toBe(before);
  });

  test("commits in a repository", async () => {
    execFileSync("git", ["init", "-q"], { cwd: bench.root });
    const commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first";
    expect(
      await bash(`touch file && git add -A && ${commit}; git log --format=%s --name-only`),
    ).toEqual(expect.objectContaining({ content: "first\n\nfile\n" }));
    expect(execFileSync("git", ["status", "--short"], { cwd: bench.root }).toString()).toBe("");
  });

  test("does not read what is denied, not even through what it leaves for us to read", async () => {
    expect((await bash(`cat ${secret}`)).content).not.toContain("the secret");
    const path = "$(trap -p EXIT | grep -o '/[^ ]*/cwd' | head -1)";
    const { content } = await bash(`p=${path}; trap - EXIT; ln -sf ${secret} $p; ls -l $p; cd /`);
    expect(content).toContain(`-> ${secret}`);
    expect(content).not.toContain("the secret");
  });

  test("that meets a file which the settings hide hears why it looks empty", async () => {
    const hidden = `[The sandbox hides ${secret} from commands: it looks empty, missing or denied. The user can show it with sandbox.filesystem.allowRead, or change sandbox.filesystem.denyRead.]`;
    expect((await bash(`cat ${secret}`)).content).toContain(hidden);
    expect((await bash(`cat < "${secret}" | wc -c`)).content).toContain(hidden);
    expect((await bash(`echo secret; cat ${secret}s`)).content).not.toContain("hides");
  });

  const listedBy = (file: string): void => {
    execFileSync("git", ["init", "-q"], { cwd: bench.root });
    execFileSync("git", ["config", "core.excludesFile", file], { cwd: bench.root });
  };

  test("in a repository gets nothing that is denied from the list of excludes", async () => {
    listedBy(secret);
    const { content } = await bash(
      'cat "$GIT_CONFIG_VALUE_0"; touch file; git add -A; git status -s',
    );
    expect(content).toMatch(/\/\.mcp\.json\n[^]*A {2}file\n$/);
    expect(content).not.toContain("the secret");
  });

  test("in a repository keeps the list of excludes that it has", async () => {
    writeFileSync(join(outside, "list"), "ignored\n!.mcp.json\n");
    listedBy(join(outside, "list"));
    expect((await bash("touch ignored file; git add -A; git status -s")).content).toBe("A  file\n");
    rmSync(join(outside, "list"));
  });

  test("in a repository is not held up by a list of excludes that never ends", async () => {
    execFileSync("mkfifo", [join(bench.root, "pipe")]);
    listedBy(join(bench.root, "pipe"));
    expect((await bash("echo ran")).content).toBe("ran\n");
  });

  test("in a repository keeps the configuration of git that the settings give it", async () => {
    execFileSync("git", ["init", "-q"], { cwd: bench.root });
    Object.assign(bench.workbench.env, {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_VALUE_0: "of the settings",
    });
    expect(
      (await bash("git config user.name; touch file; git add -A; git status -s")).content,
    ).toBe("of the settings\nA  file\n");
  });

  describe("that is still being prepared", () => {
    /** The library, which prepares nothing before it is let. */
    const held = () => {
      const { library } = sandbox;
      const gate = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      const count = { prepared: 0, cleaned: 0 };
      const slow: typeof library = {
        ...library,
        async wrapWithSandbox(command, shell, config, _, options) {
          asked.resolve();
          await gate.promise;
          const wrapped = await library.wrapWithSandbox(command, shell, config, undefined, options);
          count.prepared += 1;
          return wrapped;
        },
        cleanupAfterCommand() {
          count.cleaned += 1;
          library.cleanupAfterCommand();
        },
      };
      ToolBench.sandbox = { ...sandbox, library: slow };
      return { gate, asked: asked.promise, count };
    };

    test("ends when it takes too long, and what comes late is given back", async () => {
      const { gate, count } = held();
      await using late = await ToolBench.create();
      const { content } = await late.call(bashTool, { command: "touch ran", timeout: 50 });
      expect(content).toContain("Timed out after 50 ms");
      gate.resolve();
      await until(() => count.cleaned === 1);
      expect(count).toEqual({ prepared: 1, cleaned: 1 });
      expect(readdirSync(late.root)).toEqual([]);
    });

    test("ends when its agent is stopped, and what comes late is given back", async () => {
      const { gate, asked, count } = held();
      await using late = await ToolBench.create();
      const stop = new AbortController();
      const call = late.call(bashTool, { command: "touch ran" }, { signal: stop.signal });
      await asked;
      stop.abort(new Error("stopped"));
      await expect(call).rejects.toThrow("stopped");
      gate.resolve();
      await until(() => count.cleaned === 1);
      expect(count).toEqual({ prepared: 1, cleaned: 1 });
      expect(readdirSync(late.root)).toEqual([]);
    });

    test("is given back when it cannot be started", async () => {
      const { gate, count } = held();
      gate.resolve();
      await using broken = await ToolBench.create();
      Object.assign(broken.workbench.env, { BROKEN: "a\0b" });
      await expect(broken.call(bashTool, { command: "true" })).rejects.toThrow("null bytes");
      expect(count).toEqual({ prepared: 1, cleaned: 1 });
    });
  });

  test("reaches the hosts that are allowed, and no other", async () => {
    // The way to the proxy may take a moment longer than the command does to start.
    const fetching = (host: string): string =>
      `curl -sS --retry 20 --retry-delay 1 --retry-connrefused --noproxy '' -o - http://${host}/ || echo failed`;
    expect((await bash(fetching(`127.0.0.1:${port}`))).content).toBe("served");
    const refused = await bash(fetching("example.com"));
    expect(refused.content).toContain(
      "[The sandbox refused the network: example.com:80. The user can allow hosts in sandbox.network.allowedDomains.]",
    );
    // Past the proxy there is no network at all.
    expect((await bash(`curl -sS --noproxy '*' http://127.0.0.1:${port}/`)).isError).toBe(true);
  });

  test("cannot reach Unix sockets", async () => {
    const { content } = await bash(
      `node -e 'require("net").connect("/tmp/x.sock").on("error", (e) => console.log(e.code))'`,
    );
    expect(content).toContain("EPERM");
  });

  const escaping = `${nap} & setsid ${nap} & (env -i setsid ${nap} &) & env -i setsid -f ${nap};`;

  test("leaves nothing when it takes too long, whatever its processes did to escape", async () => {
    const pids = await started(() => bash(`${escaping} ${nap}`, { timeout: 2000 }), 5);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("leaves nothing when its agent ends", async () => {
    await bash(`${escaping} true`);
    const pids = sleepers();
    expect(pids).toHaveLength(4);
    await bench.workbench[Symbol.asyncDispose]();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  /** A program of its own that runs a command in the sandbox, and prints what came of it. */
  const elsewhere = (command: string, cwd: string) =>
    spawn(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import { ToolBench, openSandbox } from ${JSON.stringify(new URL("./shell-tools-fixture.ts", import.meta.url).href)};
         import { bashTool } from ${JSON.stringify(new URL("./bash.ts", import.meta.url).href)};
         ToolBench.sandbox = await openSandbox();
         await using bench = await ToolBench.create(process.cwd());
         const { content } = await bench.call(bashTool, { command: ${JSON.stringify(command)} });
         await ToolBench.sandbox.session.close();
         console.log(content);`,
      ],
      {
        cwd,
        env: { ...process.env, TMPDIR: bench.directory },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );

  test("leaves nothing when we are killed", async () => {
    const child = elsewhere(`${escaping} ${nap}`, bench.root);
    await until(() => sleepers().length === 5);
    const pids = sleepers();
    child.kill("SIGKILL");
    await once(child, "exit");
    await until(() => pids.every((pid) => !isAlive(pid)));
    // What only that process could have ended.
    for (const pid of bridges()) if (commandOf(pid).includes(bench.directory)) process.kill(pid);
  });

  test.each([[], [".claude"], [".claude/agents", ".git/hooks"], ["package/.claude"]])(
    "runs where this process itself stands in the working directory, with %s %s",
    async (...directories) => {
      for (const directory of directories)
        mkdirSync(join(bench.root, directory), { recursive: true });
      writeFileSync(join(bench.root, "file"), "");
      const before = execFileSync("find", [bench.root]).toString();
      const command = `echo x > .mcp.json; echo x > .claude/agents/a; mkdir -p .claude/agents; echo x > .claude/settings.json; ls`;
      const child = elsewhere(command, bench.root);
      const chunks: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
      await once(child, "close");
      expect(Buffer.concat(chunks).toString()).toMatch(/\nfile\n/);
      expect(execFileSync("find", [bench.root]).toString()).toBe(before);
    },
  );

  test("of one agent does not write where another one may", async () => {
    await using other = await ToolBench.create();
    const write = (to: ToolBench): string => `sleep 0.2; echo x > ${to.root}/file; ls ${to.root}`;
    const [mine, theirs, crossing] = await Promise.all([
      bash(write(bench)),
      other.call(bashTool, { command: write(other) }),
      other.call(bashTool, { command: write(bench) }),
    ]);
    expect([mine.isError, theirs.isError]).toEqual([undefined, undefined]);
    expect(crossing.content).toContain("Read-only file system");
  });

  test("leaves no file in the working directory that it did not write itself", async () => {
    await bash("touch own");
    await bench.workbench[Symbol.asyncDispose]();
    expect(readdirSync(bench.root)).toEqual(["own"]);
  });
});

test.skipIf(typeof opened === "string")(
  `two sessions share the sandbox if they may reach the same hosts, and the last one ends it${why}`,
  async () => {
    const same = (await openSandbox({
      network: { allowedDomains: [`127.0.0.1:${port}`], deniedDomains: [] },
    })) as OpenSandbox;
    expect(same.library).toBe(sandbox.library);
    expect(await openSandbox({ network: { allowedDomains: [], deniedDomains: [] } })).toContain(
      "Another session of this process has a sandbox with other hosts",
    );
    await sandbox.session.close();
    expect(bridges()).not.toEqual([]);
    await same.session.close();
    await same.session.close();
    expect(bridges()).toEqual([]);
    expect(readdirSync(outside)).toEqual(["secret"]);
    const other = (await openSandbox()) as OpenSandbox;
    await other.session.close();
    expect(readdirSync(outside)).toEqual(["secret"]);
  },
);

/** The processes that carry what commands send to the proxy. */
function bridges(): number[] {
  return living().filter((pid) => commandOf(pid).startsWith(`socat\x00UNIX-LISTEN:${outside}`));
}

function sleepers(): number[] {
  return living().filter(
    (pid) => commandOf(pid) === `${nap.replace(" ", "\x00")}\x00` && isAlive(pid),
  );
}

async function started(run: () => Promise<unknown>, count: number): Promise<number[]> {
  const done = run();
  await until(() => sleepers().length >= count);
  const pids = sleepers();
  await done;
  return pids;
}

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory, writeFiles } from "./support/stage.ts";
import { bin } from "./support/bin.ts";

/*
 * Real runs in a folder that nobody trusts, which brings programs along. Whatever runs of it leaves its name in the log.
 */

const taken =
  "bash bwrap cat env git grep ls node ps python3 rg sh sleep socat true wc which".split(" ");

interface Checkout {
  readonly root: string;
  readonly home: string;
  /** Puts programs with the names of usual ones into a directory, which say in the log that they ran. */
  readonly bringPrograms: (directory: string) => string;
  readonly ran: () => string;
  /** Runs the calls, without approval, and returns what the tools answered. */
  readonly run: (run: {
    calls: readonly object[];
    path: readonly string[];
    cwd?: string;
    options?: readonly string[];
    settings?: object;
  }) => string;
}

function checkout(): Checkout {
  const outside = temporaryDirectory();
  const root = join(temporaryDirectory(), "checkout");
  const home = join(outside, "home");
  const log = join(outside, "log");
  mkdirSync(root);
  mkdirSync(home);
  execFileSync("git", ["init", "-q", root]);
  writeFiles(root, { README: "one\ntwo\n", "packages/a/README": "one\n" });
  return {
    root,
    home,
    bringPrograms(directory) {
      for (const name of taken) {
        writeFiles(directory, { [name]: `#!/bin/sh\necho ${name} >>${log}\necho EVIL\n` });
        chmodSync(join(directory, name), 0o755);
      }
      return directory;
    },
    ran: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
    run({ calls, path, cwd = root, options = ["--permission-mode", "plan"], settings = {} }) {
      const turns = [...calls.map((call) => ({ reply: [call] })), { reply: "done", repeat: true }];
      writeFiles(outside, {
        "s.yaml": JSON.stringify({ turns }),
        "home/.claude/settings.json": JSON.stringify(settings),
      });
      const { VITEST: _vitest, CLAUDE_CONFIG_DIR: _config, ...env } = process.env;
      const args = ["--output-format", "stream-json", "--rehearse", join(outside, "s.yaml")];
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [bin, "run", "-p", ...args, ...options, "go"],
        {
          cwd,
          env: {
            ...env,
            HOME: home,
            NO_COLOR: "1",
            PATH: [...path, process.env["PATH"]].join(delimiter),
          },
          encoding: "utf8",
          timeout: 50_000,
        },
      );
      expect({ status, stderr }).toMatchObject({ status: 0 });
      return stdout;
    },
  };
}

const bash = (command: string): object => ({ call: "Bash", input: { command } });
const autoApproved = { sandbox: { autoApproved: false } };

test.each([{}, autoApproved])(
  "programs that a checkout brings in node_modules/.bin do not run, neither in commands nor as Retinue's own: %j",
  (settings) => {
    const { root, bringPrograms, ran, run } = checkout();
    const path = [bringPrograms(join(root, "node_modules/.bin"))];
    const printed = run({ calls: [bash("wc README"), bash("ls")], path, settings });
    expect(printed).toMatch(/2 +2 +8 README/);
    expect(ran()).toBe("");
  },
);

test("programs of a checkout do not run either where the session starts in a folder of it", () => {
  const { root, bringPrograms, ran, run } = checkout();
  const path = [
    join(root, "packages/a/node_modules/.bin"),
    join(root, "packages/node_modules/.bin"),
    bringPrograms(join(root, "node_modules/.bin")),
    bringPrograms(join(root, "tools")),
  ];
  const cwd = join(root, "packages/a");
  for (const settings of [{}, autoApproved]) {
    const printed = run({ calls: [bash("wc README")], path, cwd, settings });
    expect(printed).toMatch(/1 +1 +4 README/);
  }
  expect(ran()).toBe("");
});

test("a checkout that switches the sandbox on does not bring the programs that set it up", () => {
  const { root, bringPrograms, ran, run } = checkout();
  writeFiles(root, { ".claude/settings.json": JSON.stringify({ sandbox: { enabled: true } }) });
  const path = [bringPrograms(join(root, "node_modules/.bin"))];
  const settings = { sandbox: { failIfUnavailable: false } };
  const calls = [{ call: "TodoWrite", input: { todos: [] } }, bash("ls")];
  run({ calls, path, settings });
  expect(ran()).toBe("");
});

test.each([{}, { sandbox: { enabled: true, failIfUnavailable: false } }])(
  "a command that a rule approves finds the programs of the person's own PATH, but bash and the sandbox are the system's: %j",
  (settings) => {
    const { root, bringPrograms, ran, run } = checkout();
    const path = [bringPrograms(join(root, "node_modules/.bin"))];
    const options = ["--allowedTools", "Bash(wc *)"];
    expect(run({ calls: [bash("wc README; wc README")], path, options, settings })).toContain(
      "EVIL",
    );
    // In the sandbox the log cannot be written.
    expect(["", "wc\nwc\n"]).toContain(ran());
  },
);

test.each([{}, autoApproved])(
  "programs of a further working directory do not run unapproved, nor as Retinue's own: %j",
  (settings) => {
    const { home, bringPrograms, ran, run } = checkout();
    const tools = join(home, "tools");
    const path = [bringPrograms(join(tools, "bin"))];
    const permissions = { additionalDirectories: [tools] };
    const calls = [bash("wc README"), bash("ls")];
    const printed = run({ calls, path, settings: { ...settings, permissions } });
    expect(printed).toMatch(/2 +2 +8 README/);
    expect(ran()).toBe("");
  },
);

test("a detached run finds them too", () => {
  const { root, bringPrograms, ran, run, home } = checkout();
  const path = [bringPrograms(join(root, "node_modules/.bin"))];
  const options = ["--allowedTools", "Bash(wc *)", "--detach"];
  const id = /"id": "([^"]+)"/.exec(
    run({ calls: [bash("wc README")], path, options: [...options, "--json"] }),
  )?.[1];
  spawnSync(process.execPath, [bin, "wait", id ?? ""], {
    cwd: root,
    env: { ...process.env, HOME: home, CLAUDE_CONFIG_DIR: undefined },
  });
  expect(ran()).toBe("wc\n");
});

test("shims of a version manager, which run what .tool-versions names, are left out", () => {
  const { root, home, ran, run, bringPrograms } = checkout();
  const shims = join(home, ".asdf/shims");
  bringPrograms(join(root, "evil/bin"));
  mkdirSync(shims, { recursive: true });
  for (const name of ["node", "python3", "wc", "bash", "git"]) {
    writeFiles(shims, { [name]: `#!/bin/sh\nexec ./$(cat .tool-versions)/bin/${name} "$@"\n` });
    chmodSync(join(shims, name), 0o755);
  }
  writeFiles(root, { ".tool-versions": "evil\n" });
  symlinkSync(shims, join(home, "linked"));
  run({
    calls: [bash("node -v"), bash("python3 --version"), bash("wc README")],
    path: [shims, join(home, "linked")],
    settings: autoApproved,
  });
  expect(ran()).toBe("");
});

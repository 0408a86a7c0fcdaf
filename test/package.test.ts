import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseScenario } from "../src/index.ts";
import { AnthropicServer, scenarioPlayer } from "../src/model/anthropic/server-fixture.ts";
import { writeFiles } from "./support/stage.ts";

// What a stranger gets: the tarball, installed from nothing with its dependencies from the npm registry.
const root = fileURLToPath(new URL("..", import.meta.url));
const installLimit = 180_000;
const place = realpathSync(mkdtempSync(join(tmpdir(), "retinue-package-")));
const home = join(place, "home");
const installed = join(home, "node_modules/retinue");
const retinue = join(home, "node_modules/.bin/retinue");
let packed: string[] = [];

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

function run(command: string, args: readonly string[], cwd = home): Ran {
  // Without what npm tells its scripts: this is another project, and `node` is the one that runs the tests.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_(command|lifecycle|package|config_(local_)?prefix)/.test(name),
  );
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    timeout: installLimit,
    env: {
      ...Object.fromEntries(inherited),
      PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
      CLAUDE_CONFIG_DIR: join(place, "config"),
      // The demo's repository goes with the rest.
      TMPDIR: place,
      NO_COLOR: "1",
    },
  });
  return { status, stdout, stderr };
}

function mustRun(command: string, args: readonly string[], cwd?: string): string {
  const { status, stdout, stderr } = run(command, args, cwd);
  expect(status, `${command} ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

beforeAll(() => {
  mkdirSync(home);
  mustRun("npm", ["pack", "--ignore-scripts", "--pack-destination", place], root);
  const tarballs = readdirSync(place).filter((name) => name.endsWith(".tgz"));
  expect(tarballs).toHaveLength(1);
  const quiet = ["--omit=dev", "--no-audit", "--no-fund", "--prefer-offline"];
  mustRun("npm", ["install", ...quiet, "--prefix", home, join(place, tarballs[0] ?? "")]);
  packed = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(installed, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith("node_modules/"));
}, installLimit);

afterAll(() => rmSync(place, { recursive: true, force: true }));

test("the package holds no test, no fixture, no source and no source map", () => {
  // The demo's own repository has a test: that is what the demo is about.
  const ours = packed.filter((file) => !file.startsWith("demo/repo/"));
  expect(ours).toContain("dist/index.js");
  expect(
    ours.filter((file) => /\.test\.|-fixture\.|\.map$|^(test|src|scripts|\.ci)\//.test(file)),
  ).toEqual([]);
});

test("no file of the package names a path of the machine that packed it", () => {
  const here = root.replace(/\/$/, "");
  expect(
    packed.filter((file) => readFileSync(join(installed, file), "utf8").includes(here)),
  ).toEqual([]);
});

test("every file that package.json names is in the package", () => {
  const { bin, exports, files } = JSON.parse(
    readFileSync(join(installed, "package.json"), "utf8"),
  ) as {
    bin: Record<string, string>;
    exports: Record<string, string | Record<string, string>>;
    files: string[];
  };
  const named = [bin, ...Object.values(exports)].flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry),
  );
  expect(named).toHaveLength(6);
  expect(named.filter((file) => !packed.includes(file.replace(/^\.\//, "")))).toEqual([]);
  expect(
    files.filter((entry) => !packed.some((file) => `${file}/`.startsWith(`${entry}/`))),
  ).toEqual([]);
});

test("the installed command says its version", () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
  };
  expect(mustRun(retinue, ["--version"])).toBe(`${version}\n`);
});

test("the installed demo runs to its end and says that it is scripted", () => {
  expect(mustRun(retinue, ["demo"])).toContain("Replies are scripted, tools are real");
});

test("the installed init and the rehearsal that it writes work in another repository", () => {
  const repository = join(place, "repository");
  writeFiles(repository, { "readme.txt": "Hello\n" });
  const written = mustRun(retinue, ["init"], repository);
  expect(written.match(/^ {2}written {2}/gm)).toHaveLength(3);
  const line = /^ {2}(retinue run .*)$/m.exec(written)?.[1] ?? "false";
  const words = `retinue() { "${retinue}" "$@"; }; ${line}`;
  expect(mustRun("bash", ["-c", words], repository)).toMatch(/^Rehearsed review of readme\.txt,/);
});

test("the installed command runs a task against a model on loopback: a child reads, and its report comes back", async () => {
  const scenario = parseScenario(
    `
turns:
  - task: Ask somebody
    turn: 1
    reply: [{ call: Agent, input: { description: Read, prompt: read it, subagent_type: Explore } }]
  - { task: read it, turn: 1, reply: [{ call: Read, input: { file_path: note.txt } }] }
  - { task: read it, turn: 2, reply: "It says {{ result.Read | match /(hello \\\\w+)/ }}" }
  - { task: Ask somebody, turn: 2, reply: "{{ results.1 | line 1 }}" }
`,
    "package.yaml",
  );
  await using server = await AnthropicServer.start(scenarioPlayer(scenario));
  const repository = join(place, "with-a-model");
  writeFiles(repository, { "note.txt": "hello world\n" });
  const child = spawn(
    retinue,
    ["-p", "Ask somebody", "--allowedTools", "Agent", "--output-format", "json"],
    {
      cwd: repository,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
        CLAUDE_CONFIG_DIR: join(place, "config"),
        ANTHROPIC_API_KEY: "test",
        ANTHROPIC_BASE_URL: server.url,
      },
    },
  );
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(JSON.parse(stdout), stderr).toMatchObject({
    subtype: "success",
    result: "It says hello world",
    retinue_scripted: false,
  });
  expect(server.requests).toHaveLength(4);
});

test("the first example runs against the installed library", () => {
  copyFileSync(join(installed, "examples/01-one-agent.ts"), join(home, "first.mts"));
  expect(mustRun("node", ["first.mts"])).toBe("completed There are 2 files.\n");
});

test("retinue/testing can be imported from the installed package", () => {
  const script =
    'import { modelConformance } from "retinue/testing"; console.log(typeof modelConformance);';
  expect(mustRun("node", ["--input-type=module", "--eval", script])).toBe("function\n");
});

test("the types of the installed package pass a strict check, libraries included, and find a mistake", () => {
  const imports = [
    'import { createManager, type Manager, type Model } from "retinue";',
    'import { modelConformance } from "retinue/testing";',
  ];
  writeFiles(home, {
    "right.mts": [
      ...imports,
      "export const build = (model: Model): Manager => createManager({ model });",
      "export const suite = modelConformance;",
    ].join("\n"),
    "wrong.mts": [
      ...imports,
      "export const build = (): Manager => createManager({ modle: 1 });",
      "export const suite: number = modelConformance;",
    ].join("\n"),
  });
  const tsc = join(root, "node_modules/.bin/tsc");
  const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--module", "nodenext"];
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
  const check = (file: string): Ran =>
    run(tsc, [...options, "--target", "es2024", "--lib", "esnext", ...types, file]);
  expect(check("right.mts")).toEqual({ status: 0, stdout: "", stderr: "" });
  const wrong = check("wrong.mts");
  expect(wrong.status).not.toBe(0);
  expect(wrong.stdout.match(/^wrong\.mts\(\d+/gm)).toEqual(["wrong.mts(3", "wrong.mts(4"]);
});

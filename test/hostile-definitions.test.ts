import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { catalogOf, readConfiguration } from "../src/session/configuration.ts";
import { loadDefinitionFile } from "../src/definitions/definition-file.ts";
import type { AgentDefinition } from "../src/definitions/definition.ts";
import { findDefinitionFiles } from "../src/definitions/find-files.ts";
import type { Diagnostic } from "../src/contract/diagnostic.ts";
import { memoryDirectory } from "../src/resolve/memory.ts";
import { trustFolder } from "../src/settings/trust.ts";
import { temporaryDirectory, writeFiles } from "./support/stage.ts";

const good = "---\nname: good\ndescription: d\n---\nBody";
const around = (lines: string): string => `---\nname: bad\ndescription: d\n${lines}\n---\nBody`;

interface Stage {
  cwd: string;
  agents: string;
  configDir: string;
  root: string;
}

/** An untrusted project with one good agent. */
function stage(): Stage {
  const root = temporaryDirectory();
  const cwd = join(root, "work");
  const agents = join(cwd, ".claude", "agents");
  writeFiles(agents, { "good.md": good });
  mkdirSync(join(cwd, ".git"));
  return { root, cwd, agents, configDir: join(root, "config") };
}

async function load(
  { cwd, configDir, root }: Stage,
  options: { pluginDirs?: string[] } = {},
): Promise<{ own: AgentDefinition[]; diagnostics: Diagnostic[]; settings: unknown }> {
  const managedDir = join(root, "managed");
  const configuration = readConfiguration({ cwd, configDir, managedDir, ...options });
  const diagnostics: Diagnostic[] = [];
  const catalog = await catalogOf(configuration, {
    entrypoint: "cli",
    programmatic: () => [],
    report: (diagnostic) => diagnostics.push(diagnostic),
  })();
  configuration.loader[Symbol.dispose]();
  const own = catalog.list().filter(({ source }) => source !== "built-in");
  return { own, diagnostics, settings: configuration.settings };
}

/** Only the good one is there; the other is told of, with something to do about it. */
function expectRefused(
  { own, diagnostics }: Awaited<ReturnType<typeof load>>,
  file: string,
  remedy: RegExp,
): void {
  expect(own.map(({ name }) => name)).toEqual(["good"]);
  const told = diagnostics.filter((one) => one.file === file);
  expect(told.filter(({ severity }) => severity !== "info").length).toBeGreaterThan(0);
  expect(told.map(({ message }) => message).join("\n")).toMatch(remedy);
}

const deep = 20_000;
const refused: [string, string | Buffer, RegExp][] = [
  ["aliases", around("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]"), /aliases .* Quote the value/],
  ["20,000 brackets", around(`a: ${"[".repeat(deep)}${"]".repeat(deep)}`), /nested too deeply/],
  ["20,000 braces", around(`a: ${"{a: ".repeat(10_000)}`), /nested too deeply/],
  ["20,000 questions", around("? ".repeat(deep)), /nested too deeply/],
  ["20,000 dashes", around(`a:\n  ${"- ".repeat(deep)}x`), /nested too deeply/],
  ["20,000 anchors", around(`a: ${"&a ".repeat(deep)}`), /too many anchors/],
  [
    "20,000 levels by indentation",
    around(Array.from({ length: deep }, (_, at) => `${" ".repeat(at % 5000)}a:`).join("\n")),
    /256 KiB|64 KiB; move text into the body/,
  ],
  ["a control character in the name", '---\nname: "a\\0b"\ndescription: d\n---\n', /control/],
  ["an escape in the name", '---\nname: "a\\e[2J"\ndescription: d\n---\n', /control/],
  ["a C1 character in the name", "---\nname: a\u009bb\ndescription: d\n---\n", /control/],
  ["only NUL bytes", Buffer.alloc(1000), /must start with a line '---'|No frontmatter/],
  ["no text for a name", "---\nname: {a: b}\ndescription: d\n---\n", /'name' must be/],
];

test.each(refused)("a file with %s is refused, the others load", async (_title, text, remedy) => {
  const here = stage();
  const file = join(here.agents, "bad.md");
  writeFileSync(file, text);
  expectRefused(await load(here), file, remedy);
});

test.each([
  ["a key __proto__", "__proto__:\n  polluted: yes\n  tools: Bash"],
  [
    "a key constructor",
    "constructor:\n  prototype: {polluted: yes}\ntoString: x\nhasOwnProperty: y",
  ],
  [
    "__proto__ inside fields",
    'outputSchema: {"__proto__": {polluted: yes}}\nmcpServers: [{"__proto__": {command: x, polluted: yes}}]',
  ],
])("%s changes no object and gives no field", async (_title, lines) => {
  const here = stage();
  writeFileSync(join(here.agents, "bad.md"), around(lines));
  const { own } = await load(here);
  const bad = own.find(({ name }) => name === "bad");
  expect(bad).toMatchObject({ name: "bad", prompt: "Body" });
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(Object.getPrototypeOf(bad)).toBe(Object.prototype);
  expect(bad).not.toHaveProperty("polluted");
  expect(bad?.tools).toBeUndefined();
  for (const value of Object.values(bad ?? {}))
    expect((value as Record<string, unknown> | null)?.["polluted"]).toBeUndefined();
});

test("odd things that are only text load as text", async () => {
  const here = stage();
  writeFiles(here.agents, {
    "climb.md": "---\nname: ../../x\ndescription: d\nmemory: project\n---\n",
    "long.md": `---\nname: long\ndescription: ${"word ".repeat(12 * 1024)}end\n---\n`,
    "nul.md": "---\nname: nul\ndescription: a\u0000b\u001b[2J\n---\n",
  });
  writeFileSync(
    join(here.agents, "latin.md"),
    Buffer.from("---\nname: latin\ndescription: caf\xe9\n---\n\xff", "latin1"),
  );
  const { own } = await load(here);
  expect(own.map(({ name }) => name)).toEqual(["../../x", "good", "latin", "long", "nul"]);
  expect(own.find(({ name }) => name === "latin")).toMatchObject({
    description: "caf\ufffd",
    prompt: "\ufffd",
  });
  expect(own.find(({ name }) => name === "long")?.description).toHaveLength(12 * 1024 * 5 + 3);
  const climber = own.find(({ name }) => name === "../../x");
  const { cwd, configDir } = here;
  // Untrusted, so it has none; after trust it would be this one.
  expect(climber?.memory).toBeUndefined();
  const trusted: AgentDefinition | undefined = climber && { ...climber, memory: "project" };
  const memory = trusted && memoryDirectory(trusted, { cwd, configDir, repository: cwd });
  expect(dirname(memory ?? "")).toBe(join(cwd, ".claude", "agent-memory"));
  expect(basename(memory ?? "")).toMatch(/^[a-z0-9-]+$/);
});

const special: [string, (file: string, here: Stage) => void, RegExp][] = [
  ["a pipe", (file) => execFileSync("mkfifo", [file]), /not a regular file.* Remove it/],
  [
    "a link to a device",
    (file) => symlinkSync("/dev/zero", file),
    /not a regular file.* Remove it/,
  ],
  [
    "a link to a pipe",
    (file, { root }) => {
      execFileSync("mkfifo", [join(root, "pipe")]);
      symlinkSync(join(root, "pipe"), file);
    },
    /not a regular file.* Remove it/,
  ],
  [
    "a dangling link",
    (file) => symlinkSync("nowhere.md", file),
    /leads nowhere. Correct or remove/,
  ],
  ["a link to itself", (file) => symlinkSync(basename(file), file), /leads to itself; remove it/],
  ["a link to a directory", (file) => symlinkSync("..", file), /not a regular file.* Remove it/],
  [
    "50 MB",
    (file) => {
      const descriptor = openSync(file, "w");
      ftruncateSync(descriptor, 50 * 1024 * 1024);
      closeSync(descriptor);
    },
    /larger than 256 KiB.* Shorten it/,
  ],
  [
    "a link out of the project",
    (file, { root }) => {
      writeFileSync(join(root, "secret"), around("").replace("bad", "outside"));
      symlinkSync(join(root, "secret"), file);
    },
    /leads out of .* through a link.* Copy the file, or run 'retinue trust'/,
  ],
];

test.each(special)("%s is not read as an agent", async (title, make, remedy) => {
  const here = stage();
  const file = join(here.agents, "bad.md");
  make(file, here);
  expectRefused(await load(here), file, remedy);
  // A command that is given the directory must not wait for it either.
  expect(findDefinitionFiles(here.agents).files).toContain(file);
  if (title.includes("out of")) return;
  const { definitions, diagnostics } = await loadDefinitionFile(file, "project");
  expect(definitions).toEqual([]);
  expect(diagnostics).toMatchObject([{ severity: "error", file }]);
  expect(diagnostics[0]?.message).toMatch(/is not read: .*, or remove it\.$/);
});

test("a link out of the project is followed once the project is trusted, and not before", async () => {
  const here = stage();
  writeFiles(here.root, { "outside/a.md": "---\nname: outside\ndescription: d\n---\n" });
  symlinkSync(join(here.root, "outside", "a.md"), join(here.agents, "link.md"));
  expect((await load(here)).own.map(({ name }) => name)).toEqual(["good"]);
  await trustFolder(here.cwd, here.configDir);
  const { own, diagnostics } = await load(here);
  expect(own.map(({ name }) => name)).toEqual(["good", "outside"]);
  expect(diagnostics).toEqual([]);
});

test("a directory of agents that is a link out of the project gives nothing before it is trusted", async () => {
  const here = stage();
  writeFiles(here.root, { "other/agents/a.md": "---\nname: outside\ndescription: d\n---\n" });
  mkdirSync(join(here.cwd, "sub"));
  symlinkSync(join(here.root, "other"), join(here.cwd, "sub", ".claude"));
  const below = { ...here, cwd: join(here.cwd, "sub") };
  expectRefused(await load(below), join(below.cwd, ".claude/agents"), /leads out of/);
  await trustFolder(here.cwd, here.configDir);
  expect((await load(below)).own.map(({ name }) => name)).toEqual(["good", "outside"]);
});

test("a directory that is called like an agent is a directory", async () => {
  const here = stage();
  writeFiles(here.agents, { "x.md/inner.md": "---\nname: inner\ndescription: d\n---\n" });
  const { own, diagnostics } = await load(here);
  expect(own.map(({ name }) => name)).toEqual(["good", "inner"]);
  expect(diagnostics).toEqual([]);
});

test("of 12,000 files the first 10,000 by name are read, and that is said once", async () => {
  const here = stage();
  const names = Array.from({ length: 12_000 }, (_, at) => `n${String(at).padStart(5, "0")}`);
  for (const name of names.toReversed())
    writeFileSync(join(here.agents, `${name}.md`), `---\nname: ${name}\ndescription: d\n---\n`);
  const { own, diagnostics } = await load(here);
  expect(own).toHaveLength(10_000);
  expect(own.slice(0, 2).map(({ name }) => name)).toEqual(["good", "n00000"]);
  expect(own.at(-1)?.name).toBe("n09998");
  expect(diagnostics).toMatchObject([{ severity: "warning", file: here.agents }]);
  expect(diagnostics[0]?.message).toMatch(
    /more than 10000 files here; the rest is not read\. Move/,
  );
});

test("a directory that cannot be read is told of", async ({ skip }) => {
  if (process.getuid?.() === 0) {
    process.stdout.write("skipped: root may read every directory\n");
    skip();
  }
  const here = stage();
  const closed = join(here.agents, "closed");
  mkdirSync(closed, { mode: 0 });
  const { own, diagnostics } = await load(here);
  chmodSync(closed, 0o700);
  expect(own.map(({ name }) => name)).toEqual(["good"]);
  expect(diagnostics[0]?.message).toMatch(/cannot be read: .* Check its permissions/);
});

test("a plugin's manifest that climbs brings nothing from outside", async () => {
  const here = stage();
  writeFiles(here.root, {
    "plugin/.claude-plugin/plugin.json": JSON.stringify({
      name: "kit",
      agents: ["../outside", "/etc", "./a/../../outside/a.md", "./link"],
    }),
    "plugin/agents/fine.md": "---\nname: fine\ndescription: d\n---\n",
    "outside/a.md": "---\nname: outside\ndescription: d\n---\n",
  });
  symlinkSync("../outside", join(here.root, "plugin", "link"));
  const { own, diagnostics } = await load(here, { pluginDirs: [join(here.root, "plugin")] });
  expect(own.map(({ name }) => name)).toEqual(["good", "kit:fine"]);
  expect(
    diagnostics.map(({ severity, message }) => [
      severity,
      /climbs|absolute|link out/.exec(message)?.[0],
    ]),
  ).toEqual([
    ["error", "climbs"],
    ["error", "absolute"],
    ["error", "climbs"],
    ["error", "link out"],
  ]);
});

test.each(["settings.json", "settings.local.json"])(
  "a %s that is a pipe is told of and does not hang",
  async (name) => {
    const here = stage();
    const file = join(here.cwd, ".claude", name);
    execFileSync("mkfifo", [file]);
    const { own, diagnostics } = await load(here);
    expect(own.map((one) => one.name)).toEqual(["good"]);
    expect(diagnostics).toMatchObject([{ severity: "error", file, code: "unreadable" }]);
    expect(diagnostics[0]?.message).toMatch(
      /not a regular file. Replace it with a readable regular file .* or remove it/,
    );
  },
);

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parseFrontmatter } from "../src/definitions/frontmatter.ts";
import { floors } from "../scripts/floors.ts";
import { toolRegistry } from "../src/tools/registry.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = globSync("src/**/*.ts", { cwd: root }).filter(
  (file) => !/(\.test|-fixture)\.ts$/.test(file),
);
const read = (file: string): string => readFileSync(join(root, file), "utf8");

function floorOf(file: string): number {
  const room = file.split("/")[1] ?? "";
  return floors.findIndex((rooms) => rooms.includes(room));
}

function importsOf(file: string): string[] {
  const specifiers = [...read(file).matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(
    (match) => match[1] ?? "",
  );
  return specifiers.map((specifier) => relative(root, join(root, dirname(file), specifier)));
}

test("every source file is on a floor", () => {
  expect(sources.filter((file) => floorOf(file) === -1)).toEqual([]);
});

test("imports point one way: down", () => {
  const upward = sources.flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith("src/") && floorOf(target) > floorOf(file))
      .map((target) => `${file} → ${target}`),
  );
  expect(upward).toEqual([]);
});

test("the lifecycle and the loop never see a definition", () => {
  const seen = sources
    .filter((file) => /^src\/(lifecycle|loop)\//.test(file))
    .flatMap((file) => importsOf(file).filter((target) => target.startsWith("src/definitions/")));
  expect(seen).toEqual([]);
});

test("one file sends the requests of agents and prices them", () => {
  const pricing = sources.filter((file) => /\banswerCost\b/.test(read(file)));
  expect(pricing.toSorted()).toEqual([
    "src/model/metered.ts",
    "src/model/prices.ts",
    // An estimate: nothing is sent.
    "src/resolve/explain.ts",
  ]);
  const metering = sources.filter((file) => /\bmetered\(/.test(read(file)));
  expect(metering.toSorted()).toEqual(["src/lifecycle/openings/model.ts", "src/model/metered.ts"]);
});

test("no code asks for the name of a built-in agent", async () => {
  const files = globSync("agents/*.md", { cwd: root });
  const heads = await Promise.all(files.map((file) => parseFrontmatter(read(file))));
  const names = heads.flatMap((parsed) =>
    parsed.kind === "fields"
      ? [String(parsed.fields["name"]), ...((parsed.fields["aliases"] as string[]) ?? [])]
      : [],
  );
  expect(names).toHaveLength(9);
  const compared = names
    .filter((name) => !toolRegistry.has(name))
    .map((name) => name.replaceAll(/[-]/g, "\\-"));
  const comparison = new RegExp(
    `(?:===?|!==?|\\bcase|\\.(?:is|equals|includes|has|startsWith)\\()\\s*["'\`](?:${compared.join("|")})["'\`]|["'\`](?:${compared.join("|")})["'\`]\\s*(?:===?|!==?)`,
  );
  expect('if (type === "Explore")').toMatch(comparison);
  expect(sources.filter((file) => comparison.test(read(file)))).toEqual([]);
  const named = new RegExp(`["'\`](?:${compared.join("|")})["'\`]`);
  const code = (file: string): string => read(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  expect(sources.filter((file) => named.test(code(file)))).toEqual(["src/settings/settings.ts"]);
});

test("the registry alone opens and fills mailboxes", () => {
  const users = sources.filter((file) =>
    /\bmailbox\b/.test(read(file).replaceAll(/\/\*[\s\S]*?\*\//g, "")),
  );
  expect(users.toSorted()).toEqual(["src/lifecycle/registry.ts", "src/lifecycle/running-agent.ts"]);
});

test("a tool is described in its own file: no other source lists our tools", () => {
  const names = [...toolRegistry.keys()];
  const outside = sources.filter((file) => !file.startsWith("src/tools/"));
  const code = (file: string): string => read(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  // Rules have a language of their own for these, so that single ones are compared.
  const ruled = new Set(["Agent", "Bash", "Edit", "Read", "WebFetch"]);
  const plain = names.filter((name) => !ruled.has(name));
  const quoted = (some: readonly string[]): string => `["'\`](?:${some.join("|")})["'\`]`;
  const entry = `(?:${quoted(names)}|(?<=[{,]\\s*)(?:${names.join("|")})(?=:))`;
  const list = new RegExp(`${entry}[^;()]{0,80}?,[^;()]{0,80}?${entry}`);
  expect('new Set([\n  "Edit",\n  "MultiEdit",\n  "Read",\n])').toMatch(list);
  expect('[["Agent", "subagent_type"], ["Bash", "command"]]').toMatch(list);
  expect('{ Edit: "file_path", Read: "file_path" }').toMatch(list);
  const lists = outside.filter((file) => list.test(code(file)));
  // A script for models, and the rules that the demo runs with.
  expect(lists.toSorted()).toEqual(["src/cli/commands/demo.ts", "src/model/conformance.ts"]);
  // The shell parser has a node that is called Glob.
  const named = outside.filter((file) => new RegExp(quoted(plain)).test(code(file)));
  expect(named.toSorted()).toEqual([
    "src/model/conformance.ts",
    "src/permissions/shell/second-look.ts",
  ]);
});

test("no directory is made with Node's recursive form, which never returns below /proc", () => {
  const recursive = /mkdir(?:Sync)?\([^;]*recursive/;
  expect(sources.filter((file) => recursive.test(read(file)))).toEqual([]);
});

test("no program is started by its bare name, which a folder on the PATH could take", () => {
  const bare =
    /\b(?:\w*[sS]pawn(?:Sync)?|exec(?:File)?(?:Sync)?|run|start|fork)\)?\(\s*["'`](?![/"'`])|\bfile: ["'`](?!\/)/;
  expect('spawn("bash", [])').toMatch(bare);
  expect('promisify(execFile)("bash", [])').toMatch(bare);
  expect('{ file: "bash", args }').toMatch(bare);
  const starting = sources.filter((file) =>
    /child_process|processes\.start|SandboxedCommand/.test(read(file)),
  );
  expect(starting.length).toBeGreaterThan(10);
  expect(starting.filter((file) => bare.test(read(file)))).toEqual([]);
});

test("agents and their questions live by the session's clock", () => {
  const real =
    /performance\.now\(|Date\.now\(|new Date\(\)|set(?:Timeout|Interval)\(|AbortSignal\.timeout\(/;
  const rooms = /^src\/(?:loop|lifecycle|inbox)\//;
  const timed = sources.filter((file) => rooms.test(file) && real.test(read(file)));
  // The moment that processes have to end is theirs, not the agent's.
  expect(timed).toEqual(["src/lifecycle/run-ending.ts"]);
});

test("no test gives up waiting after a second, and none measures how long something took", () => {
  const hasty = /\bvi\.waitFor\(|\bexpect\s*\.poll\(|expect\(performance\.now\(\)/;
  expect("await vi.waitFor(() => 1)").toMatch(hasty);
  const tests = globSync(["src/**/*.test.ts", "src/**/*-fixture.ts", "test/**/*.ts"], {
    cwd: root,
  });
  const found = tests.filter((file) => hasty.test(read(file)));
  expect(found.toSorted()).toEqual(["test/architecture.test.ts", "test/support/until.ts"]);
});

test("the pipeline is one exported function in at most 120 lines", () => {
  const text = read("src/spawn.ts");
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(120);
  expect(text.match(/^export (async )?function/gm)).toHaveLength(1);
  expect(text.match(/^export (const|class|let)/gm)).toBeNull();
});

test("no folder holds more than 25 source files side by side", () => {
  const sizes = Map.groupBy(sources, (file) => dirname(file));
  expect([...sizes].filter(([, files]) => files.length > 25).map(([folder]) => folder)).toEqual([]);
});

test("every file and every symbol of our code that the recipes name exists", () => {
  const page = read("docs/architecture.md");
  const recipes = page.slice(page.indexOf("## How to add"));
  const named = [...recipes.replaceAll(/```[\s\S]*?```/g, "").matchAll(/`([^`\n]+)`/g)].map(
    (match) => match[1] ?? "",
  );
  const paths = named.filter((name) => /^[\w/.-]+\.(?:ts|json)$|^[\w/-]+\/$/.test(name));
  expect(paths.length).toBeGreaterThan(15);
  const places = ["", "src", "src/cli"];
  const exists = (path: string): boolean =>
    places.some((place) => existsSync(join(root, place, path)));
  expect(paths.filter((path) => !exists(path))).toEqual([]);
  const code = sources.map(read).join("\n");
  const symbols = named
    .map((name) => /^(?:run\.)?([A-Za-z]\w*)(?:\(.*\)|\.\w+)?$/.exec(name)?.[1] ?? "")
    .filter((name) => /[a-z][A-Z]|^[A-Z]\w+$/.test(name));
  expect(symbols.length).toBeGreaterThan(10);
  const isThere = (symbol: string): boolean => new RegExp(`\\b${symbol}\\b`).test(code);
  expect(symbols.filter((symbol) => !isThere(symbol))).toEqual([]);
});

test("every symbol that the page about architecture names exists", () => {
  const page = read("docs/architecture.md").replaceAll(/```[\s\S]*?```/g, "");
  const named = [...page.matchAll(/`([a-z]+[A-Z]\w*)`/g)].map((match) => match[1] ?? "");
  expect(named.length).toBeGreaterThan(5);
  const code = sources.map(read).join("\n");
  expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
});

test("every source file that a page links to exists", () => {
  const pages = globSync(["*.md", "docs/*.md"], { cwd: root });
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)#\s]+\.ts)\)/g)].map((match) =>
      join(dirname(page), match[1] ?? ""),
    ),
  );
  expect(links.length).toBeGreaterThan(3);
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
});

test("a file of more than 400 lines says at its top why it is one idea", () => {
  const long = sources.filter((file) => read(file).trimEnd().split("\n").length > 400);
  const silent = long.filter(
    (file) => !/\/\*\*[\s\S]*\b(long|one idea)\b[\s\S]*?\*\//i.test(read(file).slice(0, 2000)),
  );
  expect(silent).toEqual([]);
});

test("a type name has one meaning: it is declared once", () => {
  const declaration = /^(?:export )?(?:abstract )?(?:interface|class|type) (\w+)\b/gm;
  const declared = sources.flatMap((file) =>
    [...read(file).matchAll(declaration)].map(([, name = ""]) => ({ name, file })),
  );
  const shared = [...Map.groupBy(declared, ({ name }) => name)]
    .filter(([, places]) => new Set(places.map(({ file }) => file)).size > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(", ")}`);
  expect(shared).toEqual([]);
});

test("a doc comment begins with its subject", () => {
  const opening =
    /\/\*\*\s+(?:\*\s+)?((?:Of|As|What|Who|Whoever|Somebody|Nobody|It|Its)\b[^\n]{0,60})/g;
  const found = sources.flatMap((file) =>
    [...read(file).matchAll(opening)].map(([, words = ""]) => `${file}: ${words}`),
  );
  expect(found).toEqual([]);
});

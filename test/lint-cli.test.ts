import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { agent, project, shop, user } from "./support/repository.ts";

test("lint says each problem with its place, and fails for errors only", () => {
  const { retinue, cwd, json } = shop(project, user);
  const { code, stdout, stderr } = retinue("lint");
  expect(code).toBe(1);
  const places = stdout
    .trimEnd()
    .split("\n")
    .map((line) =>
      /^(.*):(\d+):(\d+): (error|warning|info): .* \[([a-z]+)\]$/.exec(line)?.slice(1),
    );
  expect(places.every((place) => place !== undefined)).toBe(true);
  expect(places).toContainEqual([
    join(cwd, ".claude/agents/broken.md"),
    "3",
    "1",
    "error",
    "missing",
  ]);
  expect(places).toContainEqual([
    join(cwd, ".claude/agents/z/reviewer.md"),
    "2",
    "1",
    "warning",
    "shadowed",
  ]);
  expect(stderr).toMatch(/^retinue: \d+ files, 1 error, \d+ warnings\.\n$/);
  const found = json("lint", "--format", "json") as { errors: number; diagnostics: unknown[] };
  expect(found.errors).toBe(1);
  expect(found.diagnostics).toHaveLength(places.length);
  expect(retinue("lint", ".claude/agents/reviewer.md")).toMatchObject({ code: 0 });
  const warned = shop({ ".claude/agents/a.md": agent("name: a\ndescription: d\nmaxTurns: lots") });
  expect(warned.retinue("lint")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("warning: 'maxTurns' is not valid") as string,
  });
  const none = shop({ ".claude/agents/a.md": agent("name: a\ndescription: d\ntools: []") });
  expect(none.retinue("lint").code).toBe(1);
  expect(warned.retinue("lint", "nowhere").code).toBe(2);
});

test("lint --format sarif is a document that code scanners take", () => {
  const { json, cwd } = shop(project);
  const document = json("lint", "--format", "sarif") as {
    runs: {
      tool: {
        driver: { name: string; rules: { id: string; shortDescription: { text: string } }[] };
      };
      results: Record<string, unknown>[];
    }[];
  };
  expect(document).toMatchObject({
    $schema: expect.stringMatching(/sarif-2\.1\.0\.json$/) as string,
    version: "2.1.0",
  });
  expect(document.runs).toHaveLength(1);
  const [run] = document.runs;
  const rules = run?.tool.driver.rules ?? [];
  expect(run?.tool.driver.name).toBe("retinue");
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  for (const rule of rules) expect(rule.shortDescription.text).toMatch(/\.$/);
  for (const result of run?.results ?? []) {
    expect(rules[result["ruleIndex"] as number]?.id).toBe(result["ruleId"]);
    expect(["error", "warning", "note"]).toContain(result["level"]);
    expect((result["message"] as { text: string }).text).not.toBe("");
    const [location] = result["locations"] as {
      physicalLocation: {
        artifactLocation: { uri: string };
        region: { startLine: number; startColumn: number };
      };
    }[];
    expect(location?.physicalLocation.artifactLocation.uri).toMatch(/^file:\/\/\//);
    expect(location?.physicalLocation.region.startLine).toBeGreaterThanOrEqual(1);
    expect(location?.physicalLocation.region.startColumn).toBeGreaterThanOrEqual(1);
  }
  expect(run?.results).toContainEqual(
    expect.objectContaining({
      ruleId: "missing",
      level: "error",
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: pathToFileURL(join(cwd, ".claude/agents/broken.md")).href },
            region: { startLine: 3, startColumn: 1 },
          },
        },
      ],
    }),
  );
});

test("lint of a directory does not wait for a pipe in it", () => {
  const { retinue, cwd } = shop(project);
  execFileSync("mkfifo", [join(cwd, "pipe.md")]);
  const { code, stdout } = retinue("lint", ".");
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /pipe\.md:1:1: error: The file is not read: it is not a regular file\. .* \[unreadable\]/,
  );
});

test("lint of an agent with twelve thousand tools says one line, with its place and the remedy", () => {
  const tools = Array.from({ length: 12_000 }, () => "T").join(",");
  const { retinue, cwd } = shop({
    ".claude/agents/a.md": agent(`name: a\ndescription: d\ntools: ${tools}`),
  });
  expect(retinue("lint")).toEqual({
    code: 1,
    stdout: `${join(cwd, ".claude/agents/a.md")}:4:1: error: 'tools' has 12000 entries, and the limit is 1000: the agent is not loaded. Shorten the list, or split the agent into several. [invalid]\n`,
    stderr: "retinue: 1 file, 1 error, 0 warnings.\n",
  });
});

test("of a settings file with thousands of bad rules lint lists a hundred, and says how many more there are", () => {
  const allow = Array.from({ length: 3000 }, (_, index) => `Foo${index}`);
  const { retinue } = shop({}, { "settings.json": JSON.stringify({ permissions: { allow } }) });
  const lines = retinue("lint").stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(101);
  expect(lines.filter((line) => line.includes("2900 more rules have problems"))).toHaveLength(1);
});

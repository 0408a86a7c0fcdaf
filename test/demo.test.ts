import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
let demo: { status: number | null; stdout: string; stderr: string };
let place: string;

beforeAll(() => {
  demo = spawnSync(process.execPath, ["src/cli/main.ts", "demo"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  place = dirname(/test (\S+)\n/.exec(demo.stdout)?.[1] ?? "/nowhere/at/all");
  return () => rmSync(place, { recursive: true, force: true });
});

test("the demo runs a lead with four children to the end, and says that replies are scripted and tools real", () => {
  expect(demo.status, demo.stdout + demo.stderr).toBe(0);
  expect(demo.stderr).toBe("");
  expect(demo.stdout).toContain("Replies are scripted, tools are real");
  expect(demo.stdout).toMatch(/Agent +Model +Turns +Tools +Tokens +Time +Result/);
  expect(demo.stdout).toMatch(/Real model .*ANTHROPIC_API_KEY/);
  for (const type of ["main", "Explore", "Bash", "general-purpose", "Verification"])
    expect(demo.stdout).toContain(type);
});

test("the child really fixed the code: the test that failed before passes now", () => {
  const before = spawnSync(process.execPath, ["--test"], { cwd: join(root, "demo/repo") });
  const after = spawnSync(process.execPath, ["--test"], {
    cwd: join(place, "basket"),
    encoding: "utf8",
  });
  expect(before.status).toBe(1);
  expect(after.status, after.stdout).toBe(0);
  expect(demo.stdout).toContain("-    cents += line.priceCents;");
  expect(demo.stdout).toContain("+    cents += line.priceCents * line.quantity;");
});

test("the explorer and the one who runs the tests worked at the same time", () => {
  const lines = demo.stdout.split("\n").filter((line) => /^main ▸ (?:Explore|Bash)\b/.test(line));
  const started = lines.flatMap((line, index) => (line.includes("started") ? [index] : []));
  const completed = lines.flatMap((line, index) => (line.includes("completed") ? [index] : []));
  expect(started).toHaveLength(2);
  expect(Math.max(...started)).toBeLessThan(Math.min(...completed));
});

test("ccusage counts the tokens of the demo exactly", () => {
  const env = { ...process.env, CLAUDE_CONFIG_DIR: join(place, "config") };
  const counted = JSON.parse(
    execFileSync("ccusage", ["daily", "--json", "--offline"], { encoding: "utf8", env }),
  ) as { totals: { totalTokens: number } };
  const rows = JSON.parse(
    execFileSync(process.execPath, ["src/cli/main.ts", "ps", "-a", "--json"], {
      cwd: root,
      encoding: "utf8",
      env,
    }),
  ) as { progress: { tokens: number }; state: string }[];
  expect(rows.map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => "completed"));
  expect(counted.totals.totalTokens).toBe(
    rows.reduce((sum, { progress }) => sum + progress.tokens, 0),
  );
  const transcript = /Transcripts +(\S+)/.exec(demo.stdout)?.[1] ?? "";
  expect(readFileSync(transcript, "utf8")).toContain('"model":"rehearsal/');
});

test("without a terminal the demo prints plain lines", () => {
  expect(demo.stdout).not.toContain("\u001b");
});

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { mainAgentId } from "../src/contract/ids.ts";
import { metaText } from "../src/transcript/session-fixture.ts";
import { temporaryDirectory } from "./support/stage.ts";

const bin = fileURLToPath(new URL("../bin/retinue.js", import.meta.url));
const canTrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;
if (!canTrace) process.stdout.write("skipped: strace is not here, or may not trace\n");

interface Traced {
  code: number | null;
  stdout: string;
  /** Files of agents that were opened, from `projects` on, in their order. */
  files: string[];
  /** How often `projects` was listed. */
  listings: number;
}

/** Sessions with a main agent and a child each, all of them ended, in a few projects. */
function archive(sessions: number): { ids: string[]; traced: (...args: string[]) => Traced } {
  const root = temporaryDirectory();
  const config = join(root, "config");
  const ids = Array.from({ length: sessions }, (_, index) => {
    const number = String(index).padStart(4, "0");
    const session = `${number}abcd-0000-4000-8000-000000000000`;
    const directory = join(config, "projects", `p${index % 3}`, session);
    const child = `a${number}1234`;
    const end = JSON.stringify({ type: "retinue-end", result: { state: "completed" } });
    const files = {
      [`${directory}.jsonl`]: `${end}\n`,
      [join(directory, "main.meta.json")]: metaText(session, mainAgentId(session)),
      [join(directory, `subagents/agent-${child}.jsonl`)]: `${end}\n`,
      [join(directory, `subagents/agent-${child}.meta.json`)]: metaText(session, child, {
        name: `child-${index}`,
      }),
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return [mainAgentId(session), child];
  }).flat();
  const env = { ...process.env, CLAUDE_CONFIG_DIR: config, NO_COLOR: "1" };
  const projects = `"${join(config, "projects")}`;
  return {
    ids,
    traced(...args) {
      const log = join(root, "trace");
      const trace = ["-f", "-qq", "-e", "trace=openat,open", "-s", "4096", "-o", log];
      const { status, stdout } = spawnSync("strace", [...trace, process.execPath, bin, ...args], {
        env,
        encoding: "utf8",
      });
      const opens = readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line.includes(projects));
      const isListing = (line: string): boolean => line.includes("O_DIRECTORY");
      return {
        code: status,
        stdout,
        files: opens
          .filter((line) => !isListing(line))
          .map((line) => line.slice(line.indexOf(projects) + projects.length).split('"')[0] ?? ""),
        listings: opens.filter((line) => isListing(line) && line.includes(`${projects}"`)).length,
      };
    },
  };
}

test.skipIf(!canTrace)(
  "output opens the files of the agent that is meant, however many others there are",
  () => {
    for (const sessions of [3, 200]) {
      const { ids, traced } = archive(sessions);
      const [main = "", child = ""] = ids;
      const first = "/p0/0000abcd-0000-4000-8000-000000000000";
      for (const text of [main, main.slice(0, 9)])
        expect(traced("output", text)).toMatchObject({
          code: 0,
          files: [`${first}/main.meta.json`, `${first}.jsonl`],
          listings: 1,
        });
      const own = `${first}/subagents/agent-${child}`;
      for (const text of [child, child.slice(0, 7)])
        expect(traced("output", text)).toMatchObject({
          code: 0,
          files: [`${own}.meta.json`, `${own}.jsonl`],
          listings: 1,
        });
    }
  },
  120_000,
);

test.skipIf(!canTrace)("several agents of one command are found with one listing", () => {
  const { ids, traced } = archive(20);
  const asked = ids.slice(0, 3);
  const { stdout, files, listings } = traced("stop", ...asked);
  const lines = asked.map((id) => `${id}  completed · it has ended before`);
  expect(stdout.trim().split("\n").toSorted()).toEqual(lines.toSorted());
  expect([files.length, listings]).toEqual([3, 1]);
});

test.skipIf(!canTrace)(
  "ps opens no transcript of an agent that has ended, and each of their files once",
  () => {
    const { ids, traced } = archive(20);
    const { files } = traced("ps");
    expect(files).toHaveLength(ids.length);
    expect(new Set(files.map((file) => file.slice(-".meta.json".length)))).toEqual(
      new Set([".meta.json"]),
    );
    expect(new Set(files).size).toBe(ids.length);
  },
);

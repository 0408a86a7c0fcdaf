import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agent, shop as emptyShop, type Shop } from "./support/repository.ts";

const launch =
  "{ call: Agent, input: { description: dig, prompt: dig, subagent_type: quiet, run_in_background: true } }";

const shop = (turns: string): Shop =>
  emptyShop({
    "s.yaml": `turns:\n  - { agent: main, turn: 1, reply: [${launch}] }\n${turns}`,
    ".claude/agents/quiet.md": agent("name: quiet\ndescription: works\ntools: Bash"),
  });

interface Frame {
  type: string;
  subtype?: string;
  status?: string;
  is_backgrounded?: boolean;
  output_file?: string;
}

test("what a run leaves in the background ends before its result is told, and names its file", () => {
  const { retinue } = shop(`
  - { agent: main, turn: 2, reply: "I do not wait" }
  - { agent: quiet, turn: 1, reply: [{ call: Bash, input: { command: sleep 600 } }] }
`);
  const args = ["--output-format", "stream-json", "--max-turns", "2", "--allowedTools", "Bash"];
  const { code, stdout } = retinue("run", "--rehearse", "s.yaml", ...args, "go");
  expect(code).toBe(0);
  const frames = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Frame);
  const tasks = frames.filter(({ subtype = "" }) => /^task_(?:started|notif)/.test(subtype));
  expect(tasks).toMatchObject([
    { subtype: "task_started", is_backgrounded: true },
    { subtype: "task_notification", status: "stopped" },
  ]);
  expect(readFileSync(tasks[1]?.output_file ?? "", "utf8")).toMatch(/\[stopped: .*\]\n$/);
  expect(frames.at(-1)).toMatchObject({ type: "result", subtype: "success" });
});

test("without a terminal a line says that a parent was notified of the end of its child", () => {
  const { retinue } = shop(`
  - { agent: main, turn: 2, reply: "I wait" }
  - { agent: main, turn: 3, reply: "all is told" }
  - { agent: quiet, turn: 1, reply: "gold" }
`);
  const { code, stdout, stderr } = retinue("run", "--rehearse", "s.yaml", "go");
  expect([code, stdout]).toEqual([0, "all is told\n"]);
  expect(stderr.match(/^main {2}was notified of the end of quiet$/gm)).toHaveLength(1);
});

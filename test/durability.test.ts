import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Model, ModelRequest } from "../src/index.ts";
import { setStage } from "./support/stage.ts";

const calls = [
  { type: "tool_use", id: "toolu_list", name: "TodoWrite", input: { todos: [] } },
  { type: "tool_use", id: "toolu_read", name: "Read", input: { file_path: "" } },
] as const;

test("what an agent said and what its tools gave is on disk before anything follows from it", async () => {
  const transcript = (): string =>
    globSync("projects/*/*.jsonl", { cwd: stage.configDir }).map(
      (file) => `${stage.configDir}/${file}`,
    )[0] ?? "";
  /** The transcript at the very moment of each request. */
  const atRequest: string[] = [];
  const model: Model = {
    provider: "test",
    scripted: true,
    stream(request) {
      atRequest.push(readFileSync(transcript(), "utf8"));
      return answer(request, transcript());
    },
  };
  const stage = setStage("turns: [{ turn: 1, reply: unused }]", {
    model,
    allowedTools: ["Read"],
  });
  const main = await stage.manager.main({ prompt: "the task" });
  const { content } = await stage.manager.output(main.id, { block: true });

  expect(atRequest).toHaveLength(2);
  expect(atRequest[0]).toContain('"content":"the task"');
  expect(atRequest[1]).toContain('"tool_use_id":"toolu_read"');
  // What the second call read: its own answer, and the result of the call before it, which ran alone.
  expect(content).toContain('"id":"toolu_read"');
  expect(content).toContain('"tool_use_id":"toolu_list"');
  expect(content).not.toContain('"tool_use_id":"toolu_read"');
});

test.each(["process", "power"] as const)(
  "everything that a session leaves is private, whatever the umask (%s)",
  async (durability) => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const { manager } = setStage(
      `
turns:
  - agent: main
    turn: 1
    reply: [{ call: Agent, input: { description: d, prompt: p, subagent_type: Bash } }, { call: Write, input: { file_path: x, content: y } }]
  - { agent: main, turn: 2, reply: done }
  - { agent: Bash, turn: 1, reply: [{ call: Bash, input: { command: "head -c 90000 /dev/zero | tr '\\0' x" } }] }
  - { agent: Bash, turn: 2, reply: "${"a long result ".repeat(4000)}" }
`,
      { allowedTools: ["Agent", "Bash"], durability },
    );
    manager.inbox.subscribe((event) => {
      if (event.type === "asked") void manager.inbox.answer(event.request.id, { verdict: "deny" });
    });
    const main = await manager.main({ prompt: "go" });
    expect(await manager.output(main.id, { block: true })).toMatchObject({ state: "completed" });
    const root = manager.transcripts.projectDir;
    const modes = globSync("**", { cwd: root }).map((name) => {
      const info = statSync(join(root, name));
      const expected = info.isDirectory() ? 0o700 : 0o600;
      return { name, fits: (info.mode & 0o777) === expected };
    });
    expect(modes.filter(({ fits }) => !fits)).toEqual([]);
    const names = modes.map(({ name }) => name).join("\n");
    expect(names).toMatch(/tool-results\/.*txt/);
    expect(names).toMatch(/audit\.jsonl/);
  },
);

/** First the calls; then, as text, what the last of them gave. */
// oxlint-disable-next-line require-yield -- an answer may come in one piece
async function* answer({ messages }: ModelRequest, file_path: string): ReturnType<Model["stream"]> {
  const last = messages.at(-1)?.content.at(-1);
  const read = last?.type === "tool_result" ? JSON.stringify(last.content) : undefined;
  const content =
    read === undefined
      ? calls.map((call) => ({ ...call, input: call.name === "Read" ? { file_path } : call.input }))
      : [{ type: "text" as const, text: read.replaceAll('\\"', '"') }];
  return {
    id: `msg_${messages.length}`,
    requestId: "req",
    model: "m",
    message: { role: "assistant", content },
    stopReason: read === undefined ? "tool_use" : "end_turn",
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    malformed: {},
  };
}

import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
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

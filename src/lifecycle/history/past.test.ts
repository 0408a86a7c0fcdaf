import { expect, test } from "vitest";
import { noUsage } from "../../contract/message.ts";
import type { TranscriptEntry } from "../../transcript/reader.ts";
import { pastOf } from "./past.ts";

const at = "2026-01-01T00:00:00.000Z";

function call(answer: string, id: string): TranscriptEntry {
  const block = { type: "tool_use", id, name: "Bash", input: {} } as const;
  const about = {
    requestId: "",
    model: "m",
    stopReason: "tool_use",
    usage: noUsage,
    costUsd: 0,
  } as const;
  return { kind: "answer", id: answer, block, ...about, at };
}

test("a call has begun only if that was said after its own answer", () => {
  const begun: TranscriptEntry = { kind: "intent", key: "tool/call_0", at };
  const result: TranscriptEntry = {
    kind: "result",
    result: { type: "tool_result", tool_use_id: "call_0", content: "" },
    at,
  };
  const open = [call("one", "call_0"), begun, result, call("two", "call_0")];
  expect(pastOf(open).pending?.open).toMatchObject([{ begun: false }]);
  expect(pastOf([...open, begun]).pending?.open).toMatchObject([{ begun: true }]);
});

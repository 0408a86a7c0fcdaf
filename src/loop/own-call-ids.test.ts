import { expect, test } from "vitest";
import { noUsage, toolUsesOf, type Message } from "../contract/message.ts";
import type { ModelAnswer } from "../model/model.ts";
import { ownCallIds } from "./own-call-ids.ts";

function answerOf(ids: readonly string[], malformed: Record<string, string> = {}): ModelAnswer {
  const content = ids.map((id) => ({ type: "tool_use", id, name: "Read", input: {} }) as const);
  const message = { role: "assistant" as const, content };
  const about = { id: "msg", requestId: "req", model: "m", usage: noUsage };
  return { ...about, message, stopReason: "tool_use", malformed };
}

const said = (...ids: string[]): Message => answerOf(ids).message;
const idsOf = ({ message }: ModelAnswer): string[] => toolUsesOf(message).map(({ id }) => id);

test("an answer whose ids are new is left as it is", () => {
  const answer = answerOf(["a", "b"]);
  expect(ownCallIds(answer, [said("c")])).toBe(answer);
});

test("an id that the conversation had before becomes another one, which it never had", () => {
  const before = [said("call_0", "call_1"), said("call_0_2")];
  expect(idsOf(ownCallIds(answerOf(["call_0", "call_2"]), before))).toEqual(["call_0_3", "call_2"]);
  expect(idsOf(ownCallIds(answerOf(["call_0", "call_0", ""]), [said("")]))).toEqual([
    "call_0",
    "call_0_2",
    "_2",
  ]);
});

test("what could not be read of a call's input goes with the call", () => {
  const { malformed } = ownCallIds(answerOf(["call_0"], { call_0: "{ torn" }), [said("call_0")]);
  expect(malformed).toEqual({ call_0_2: "{ torn" });
  const taken = answerOf(["call_0", "call_0_2"], { call_0: "{ torn" });
  const owned = ownCallIds(taken, [said("call_0")]);
  expect(idsOf(owned)).toEqual(["call_0_2", "call_0_2_2"]);
  expect(owned.malformed).toEqual({ call_0_2: "{ torn" });
});

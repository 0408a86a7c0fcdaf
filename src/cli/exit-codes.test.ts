import { expect, test } from "vitest";
import { figures } from "../events/events-fixture.ts";
import { exitCodeOfResult } from "./exit-codes.ts";

test.each([
  ["timeout", 124],
  ["stalled", 124],
  ["max_turns", 5],
  ["crashed", 1],
] as const)("an agent that failed with %s exits with %i", (code, exit) => {
  const error = { code, message: "" };
  expect(exitCodeOfResult({ ...figures(), state: "failed", content: "", error })).toBe(exit);
});

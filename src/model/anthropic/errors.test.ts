import { expect, test } from "vitest";
import { interruption } from "./errors.ts";

test("what broke is told in the words of the network, also when every address of a name failed", () => {
  const first = new Error("connect ECONNREFUSED ::1:443");
  const second = new Error("connect ECONNREFUSED 127.0.0.1:443.");
  const wrapped = (cause: Error): Error => new TypeError("fetch failed", { cause });
  expect(interruption(wrapped(first)).message).toBe(
    "The model's answer broke off: connect ECONNREFUSED ::1:443.",
  );
  expect(interruption(wrapped(new AggregateError([first, second]))).message).toBe(
    "The model's answer broke off: connect ECONNREFUSED ::1:443, connect ECONNREFUSED 127.0.0.1:443.",
  );
  expect(interruption(wrapped(new AggregateError([first], "all failed"))).message).toBe(
    "The model's answer broke off: all failed.",
  );
});

import { expect, test } from "vitest";
import { warningLogger } from "./warning-logger.ts";

test("every warning is said, with the place where it has one; those of single agents are not", () => {
  const said: string[] = [];
  const logger = warningLogger((line) => void said.push(line));
  logger.warn({}, "first\nline");
  logger.warn({ file: "a.md", line: 3 }, "second");
  logger.warn({ file: "a\u001b[31m.jsonl", request: "r" }, "third");
  logger.info({}, "nothing to worry about");
  logger.child({ agentId: "a" }).warn({ tool: "Bash" }, "shown by the views");
  expect(said).toEqual([
    "retinue: warning: first line",
    "retinue: warning: a.md:3: second",
    "retinue: warning: a.jsonl: third",
  ]);
});

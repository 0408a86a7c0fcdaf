import { expect, test } from "vitest";
import { denialText, Denials } from "./denials.ts";

test("the same call of the same agent is counted, whatever the order of its fields", () => {
  const denials = new Denials();
  expect(denials.note("a1", "Bash", { command: "x", timeout: 1 })).toBe(1);
  expect(denials.note("a1", "Bash", { timeout: 1, command: "x" })).toBe(2);
  expect(denials.note("a1", "Bash", { command: "y" })).toBe(1);
  expect(denials.note("a1", "Edit", { command: "x", timeout: 1 })).toBe(1);
  expect(denials.note("a2", "Bash", { command: "x", timeout: 1 })).toBe(1);
  expect(denials.note("a1", "Bash", { command: "x", timeout: 1 })).toBe(3);
  denials.forget("a1");
  expect(denials.note("a1", "Bash", { command: "x", timeout: 1 })).toBe(1);
});

test("lists and objects of the same content are different things", () => {
  const denials = new Denials();
  denials.note("a1", "Bash", { x: { a: 1 } });
  expect(denials.note("a1", "Bash", { x: [["a", 1]] })).toBe(1);
});

test("an input that is nested too deep to be read is still counted", () => {
  let deep: unknown = 0;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  const denials = new Denials();
  denials.note("a1", "Bash", { deep });
  expect(denials.note("a1", "Bash", { deep })).toBe(2);
});

test("the third denial tells the agent to stop trying and to report", () => {
  expect(denialText("no.", 2)).toBe("Permission denied: no.");
  expect(denialText("no.", 3)).toMatch(/denied 3 times. Stop trying.*report/s);
});

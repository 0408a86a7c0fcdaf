import { expect, test } from "vitest";
import { agentColors, createStyle, wantsColor } from "./style.ts";

test.each([
  ["a terminal has colours", {}, true, true],
  ["a pipe has none", {}, false, false],
  ["NO_COLOR takes them away", { NO_COLOR: "1" }, true, false],
  ["an empty NO_COLOR does not", { NO_COLOR: "" }, true, true],
  ["FORCE_COLOR brings them to a pipe", { FORCE_COLOR: "1" }, false, true],
  ["FORCE_COLOR=0 takes them away", { FORCE_COLOR: "0" }, true, false],
  ["FORCE_COLOR beats NO_COLOR", { FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
  ["a dumb terminal has none", { TERM: "dumb" }, true, false],
])("%s", (_, environment: Record<string, string>, isTTY, expected) => {
  expect(wantsColor({ choice: "auto", environment, isTTY })).toBe(expected);
});

test("--color beats the environment and the stream", () => {
  const environment = { NO_COLOR: "1", FORCE_COLOR: "0" };
  expect(wantsColor({ choice: "always", environment, isTTY: false })).toBe(true);
  expect(wantsColor({ choice: "never", environment: { FORCE_COLOR: "1" }, isTTY: true })).toBe(
    false,
  );
});

test("every colour that a definition may name paints, an unknown one does not", () => {
  const style = createStyle(true);
  for (const [name, code] of Object.entries(agentColors)) {
    expect(style.agent(name)("x")).toBe(`\x1b[${code}mx\x1b[0m`);
  }
  expect(style.agent("constructor")("x")).toBe("x");
  expect(style.agent(null)("x")).toBe("x");
});

test("with colours off no escape sequence is written", () => {
  const style = createStyle(false);
  const painted = [
    style.bold("a"),
    style.red("b"),
    style.agent("pink")("c"),
    style.status("failed")("d"),
  ];
  expect(painted.join("")).toBe("abcd");
});

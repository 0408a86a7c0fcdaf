import { expect, test } from "vitest";
import { substitute } from "./substitute.ts";

const variables = { CLAUDE_PLUGIN_ROOT: "/plugin", CLAUDE_PROJECT_DIR: "/work" };

test("variables are put into every text, at every depth, and nothing else changes", () => {
  const value = {
    command: "${CLAUDE_PLUGIN_ROOT}/run ${CLAUDE_PLUGIN_ROOT}",
    args: ["--in=${CLAUDE_PROJECT_DIR}", 3, null, true],
    env: { "${CLAUDE_PLUGIN_ROOT}": "${CLAUDE_PLUGIN_DATA} ${HOME} $CLAUDE_PLUGIN_ROOT" },
  };
  const before = structuredClone(value);
  expect(substitute(value, variables)).toEqual({
    command: "/plugin/run /plugin",
    args: ["--in=/work", 3, null, true],
    env: { "${CLAUDE_PLUGIN_ROOT}": "${CLAUDE_PLUGIN_DATA} ${HOME} $CLAUDE_PLUGIN_ROOT" },
  });
  expect(value).toEqual(before);
});

test("what was put in is not read again", () => {
  const given = { CLAUDE_PLUGIN_ROOT: "${CLAUDE_PROJECT_DIR}$&", CLAUDE_PROJECT_DIR: "/work" };
  expect(substitute("${CLAUDE_PLUGIN_ROOT}", given)).toBe("${CLAUDE_PROJECT_DIR}$&");
});

test("a key __proto__ stays a plain key", () => {
  const value: unknown = JSON.parse('{"__proto__": {"polluted": "${CLAUDE_PLUGIN_ROOT}"}}');
  const result = substitute(value, variables) as Record<string, unknown>;
  expect(Object.keys(result)).toEqual(["__proto__"]);
  expect(result["polluted"]).toBeUndefined();
});

test("a value of 20,000 levels is left alone below the hundredth", () => {
  let value: unknown = "${CLAUDE_PLUGIN_ROOT}";
  for (let level = 0; level < 20_000; level += 1) value = [value];
  let inner = substitute(value, variables);
  for (let level = 0; level < 20_000; level += 1) [inner] = inner as unknown[];
  expect(inner).toBe("${CLAUDE_PLUGIN_ROOT}");
});

import { expect, test } from "vitest";
import type { PermissionMode } from "../resolved-agent.ts";
import { resolveMode } from "./permission-mode.ts";

type Voices = Parameters<typeof resolveMode>[0];

function modeOf(voices: Partial<Voices>): ReturnType<typeof resolveMode> {
  const silent = {
    parent: "default",
    call: undefined,
    byModel: false,
    definition: undefined,
  } as const;
  return resolveMode({ ...silent, allowsBypass: false, ...voices });
}

test.each(["bypassPermissions", "acceptEdits", "auto"] as const)(
  "a parent in %s decides for its children, whatever a call or a definition says",
  (parent) => {
    const decided = { mode: parent, from: "parent" };
    expect(modeOf({ parent, definition: "plan" })).toEqual(decided);
    expect(modeOf({ parent, call: "plan" })).toEqual(decided);
    expect(modeOf({ parent, call: "plan", byModel: true })).toEqual(decided);
  },
);

test("otherwise the call decides, then the definition, then the parent", () => {
  expect(modeOf({ call: "plan", definition: "acceptEdits" })).toEqual({
    mode: "plan",
    from: "call",
  });
  expect(modeOf({ definition: "acceptEdits" })).toEqual({
    mode: "acceptEdits",
    from: "definition",
  });
  expect(modeOf({ parent: "dontAsk" })).toEqual({ mode: "dontAsk", from: "parent" });
});

test.each<[PermissionMode, PermissionMode]>([
  ["default", "acceptEdits"],
  ["default", "bypassPermissions"],
  ["default", "auto"],
  ["dontAsk", "default"],
  ["plan", "default"],
  ["acceptEdits", "bypassPermissions"],
])("a model in %s cannot ask for %s", (parent, call) => {
  expect(() => modeOf({ parent, call, byModel: true })).toThrow(/allows more than/);
  expect(() => modeOf({ parent, call })).not.toThrow();
});

test("a model may narrow what the definition would give", () => {
  const definition = "acceptEdits";
  expect(modeOf({ definition, call: "plan", byModel: true }).mode).toBe("plan");
  expect(() => modeOf({ definition, call: "bypassPermissions", byModel: true })).toThrow();
});

test("a definition says bypassPermissions in vain where the session does not allow it", () => {
  const definition = "bypassPermissions";
  expect(modeOf({ definition })).toEqual({ mode: "default", from: "parent" });
  expect(modeOf({ definition, allowsBypass: true }).mode).toBe("bypassPermissions");
  expect(() => modeOf({ definition, call: "acceptEdits", byModel: true })).toThrow();
});

import { expect, test } from "vitest";
import { toDefinition } from "./definition.ts";

const origin = { prompt: "p", source: "project", file: "x.md", where: "x.md" } as const;
const places = new Map([["tools", { line: 4, column: 1 }]]);
const make = (fields: Record<string, unknown>): ReturnType<typeof toDefinition> =>
  toDefinition({ name: "a", description: "d", ...fields }, { ...origin, places });

const many = Array.from({ length: 12_000 }, (_, index) => `T${index}`);

test("an agent with twelve thousand tools is not loaded, and one line says where, how many and what to do", () => {
  expect(make({ tools: many })).toEqual({
    definition: null,
    diagnostics: [
      {
        severity: "error",
        code: "invalid",
        file: "x.md",
        line: 4,
        column: 1,
        field: "tools",
        agent: "a",
        message:
          "'tools' has 12000 entries, and the limit is 1000: the agent is not loaded. Shorten the list, or split the agent into several.",
      },
    ],
  });
});

test("of a list that is too long no entry is looked at", () => {
  let looks = 0;
  const watched = new Proxy(many, {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key)) looks += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
    ownKeys(target) {
      looks += target.length;
      return Reflect.ownKeys(target);
    },
  });
  expect(make({ tools: watched }).definition).toBeNull();
  expect(looks).toBe(0);
});

const text = many.join(",");
const servers = Object.fromEntries(many.map((name) => [name, { url: "x" }]));
const hook = { hooks: [{ type: "command", command: "x" }] };

test.each([
  ["tools", text],
  ["tools", [text]],
  ["tools", many.join(" ")],
  ["disallowedTools", many],
  ["skills", text],
  ["requiredMcpServers", many],
  ["fallbackModels", many],
  ["aliases", many],
  ["entrypoints", many],
  ["mcpServers", many],
  ["mcpServers", servers],
  ["hooks", { Stop: many.map(() => hook) }],
  ["hooks", { Stop: [{ hooks: many.map(() => ({ type: "command", command: "x" })) }] }],
  ["tools", many.map(() => 5)],
])("too many entries of %s are one error, however they are written", (field, value) => {
  const { definition, diagnostics } = make({ [field]: value });
  expect(definition).toBeNull();
  expect(diagnostics).toMatchObject([{ severity: "error", field }]);
  expect(diagnostics[0]?.message.length).toBeLessThan(300);
  expect(diagnostics[0]?.message).toMatch(/has 120\d\d entries/);
});

test("a value whose parts are used again and again is counted in bounded time", () => {
  let value: unknown[] = ["x"];
  for (let depth = 0; depth < 40; depth += 1) value = [value, value];
  expect(make({ mcpServers: value }).diagnostics[0]?.message).toContain("more than 100000 entries");
});

test("too many fields are one error", () => {
  const fields = Object.fromEntries(many.map((name) => [name, 1]));
  expect(make(fields)).toMatchObject({
    definition: null,
    diagnostics: [{ severity: "error", message: expect.stringContaining("12002 fields") }],
  });
});

test("a thousand entries are read", () => {
  const { definition } = make({ tools: many.slice(0, 1000), skills: many.slice(0, 1000) });
  expect([definition?.tools?.length, definition?.skills?.length]).toEqual([1000, 1000]);
});

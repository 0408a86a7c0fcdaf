import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { temporaryDirectory } from "../../test/support/stage.ts";
import { RetinueError } from "../contract/errors.ts";
import { resolveTools } from "../resolve/tools.ts";
import { settingsSchema } from "../settings/settings.ts";
import { knownTool } from "../tools/known-tools.ts";
import { toolRegistry } from "../tools/registry.ts";
import { Catalog } from "./catalog.ts";
import { fold } from "../platform/closest.ts";
import { loadDefinitionFile } from "./definition-file.ts";
import { toDefinition, type AgentDefinition } from "./definition.ts";
import { hookEvents } from "./hooks-field.ts";
import { printDefinition } from "./print-definition.ts";
import { sources, type SourceName } from "./sources.ts";

const settings = (deny: string[] = []): ReturnType<typeof settingsSchema.parse> =>
  settingsSchema.parse({ permissions: { deny } });
const catalog = (definitions: readonly AgentDefinition[], deny: string[] = []): Catalog =>
  new Catalog(definitions, { settings: settings(deny), entrypoint: "cli" });

/** Few names, some of which differ only in case and separators, so that they meet. */
const name = fc.constantFrom("a", "A", "b", "code-reviewer", "Code Reviewer", "c_d", "toString");
const source = fc.constantFrom(...(Object.keys(sources) as SourceName[]));
/** Definitions in load order: the higher source first, and within one the nearer first; `file` identifies each. */
const crowd = fc
  .array(fc.record({ name, source }), { maxLength: 12 })
  .map((all) => all.map((one, at): AgentDefinition => make(one.name, one.source, `/${at}.md`)));

function make(named: string, from: SourceName, file: string): AgentDefinition {
  return { name: named, source: from, file, description: "d", prompt: "" };
}

/** The winner of two of one name, in load order. */
const mustWin = ([first, second]: readonly AgentDefinition[]): AgentDefinition | undefined =>
  first && second && sources[first.source] >= sources[second.source] ? first : second;

test("for every name there is exactly one winner, and whom else there is does not matter", () => {
  fc.assert(
    fc.property(crowd, name, (definitions, other) => {
      const all = catalog(definitions);
      const names = new Set(definitions.map((one) => one.name));
      expect(all.list().map((one) => one.name)).toEqual([...names].toSorted());
      for (const named of names) {
        const own = definitions.filter((one) => one.name === named);
        const used = all
          .candidates()
          .filter(({ definition, passedOver }) => definition.name === named && passedOver === null);
        expect(used).toHaveLength(1);
        expect(all.find(named)).toBe(used[0]?.definition);
        expect(catalog(own).find(named)).toBe(all.find(named));
        const others = definitions.filter((one) => one.name === named || one.name !== other);
        expect(catalog(others).find(named)).toBe(all.find(named));
      }
    }),
  );
});

test("precedence is a total order: of two one wins, and who beats a winner beats whom that one beat", () => {
  const three = fc.tuple(source, source, source);
  fc.assert(
    fc.property(three, (from) => {
      const all = from.map((one, at) => make("a", one, `/${at}.md`));
      const wins = (some: AgentDefinition[]): AgentDefinition | undefined =>
        catalog(some).find("a");
      for (const one of all) {
        for (const two of all) {
          if (one === two) continue;
          // Load order is part of the order between two of one source.
          const pair = all.filter((each) => each === one || each === two);
          const winner = wins(pair);
          expect(pair).toContain(winner);
          expect(winner).toBe(mustWin(pair));
          for (const third of all) {
            if (winner !== one || third === two || third === one) continue;
            if (wins(all.filter((each) => each === two || each === third)) !== two) continue;
            expect(wins(all.filter((each) => each === one || each === third))).toBe(one);
          }
        }
      }
      expect(all.filter((one) => one === wins(all))).toHaveLength(1);
    }),
  );
});

test("a lower definition never changes what a higher one's name gives, however that is written", () => {
  fc.assert(
    fc.property(crowd, name, source, fc.nat(), (definitions, named, from, at) => {
      const before = catalog(definitions);
      const added = make(named, from, "/added.md");
      const place = at % (definitions.length + 1);
      const after = catalog(definitions.toSpliced(place, 0, added));
      for (const winner of before.list()) {
        if (sources[winner.source] <= sources[from]) continue;
        expect(after.find(winner.name)).toBe(winner);
        // Found by any other spelling too, unless the new one has exactly that name.
        for (const written of [winner.name.toUpperCase(), `${winner.name}-`, fold(winner.name)]) {
          const found = before.find(written);
          if (found === undefined || sources[found.source] <= sources[from]) continue;
          if (written !== named) expect(after.find(written)).toBe(found);
        }
      }
    }),
    { numRuns: 1000 },
  );
});

const entry = fc.oneof(
  fc.constantFrom(...toolRegistry.keys(), "Task", "FileRead", "mcp__s__t", "mcp__s", "mcp__s__*"),
  fc.constantFrom("*", "Bash(git *)", "Agent(a, b)", "Nothing", "read", "constructor", ""),
);
const entries = fc.array(entry, { maxLength: 5 });

test("one more deny never gives a tool that was not there", () => {
  const question = fc.record({
    wanted: fc.option(entries, { nil: undefined }),
    unwanted: fc.option(entries, { nil: undefined }),
    denied: entries,
    isMain: fc.boolean(),
    atDepthLimit: fc.boolean(),
    background: fc.boolean(),
    readOnly: fc.boolean(),
    backgroundMcp: fc.boolean(),
    mode: fc.constantFrom("default", "plan" as const),
    memory: fc.constantFrom(null, "/memory"),
  });
  const available = [...toolRegistry.keys(), "mcp__s__t", "mcp__other__t"].map(knownTool);
  const toolsOf = (
    asked: Omit<Parameters<typeof resolveTools>[0], "type" | "available">,
  ): string[] => {
    try {
      return resolveTools({ type: "x", available, ...asked }).tools;
    } catch (error) {
      if (error instanceof RetinueError && error.code === "no_tools") return [];
      throw error;
    }
  };
  let fewer = 0;
  fc.assert(
    fc.property(question, entry, (asked, deny) => {
      const before = toolsOf(asked);
      const byAgent = toolsOf({ ...asked, unwanted: [...(asked.unwanted ?? []), deny] });
      const bySettings = toolsOf({ ...asked, denied: [...asked.denied, deny] });
      for (const after of [byAgent, bySettings]) {
        expect(before).toEqual(expect.arrayContaining(after));
        if (after.length < before.length) fewer += 1;
      }
    }),
    { numRuns: 2000 },
  );
  expect(fewer).toBeGreaterThan(100);
});

test("one more deny never offers a type that was not there", () => {
  const rule = fc.oneof(
    name.map((named) => `Agent(${named})`),
    name.map((named) => `Task(${named.toUpperCase()})`),
    fc.constantFrom("Agent", "Agent()", "Agent(*)", "Bash(a)", "Agent(a", ")"),
  );
  let fewer = 0;
  fc.assert(
    fc.property(crowd, fc.array(rule, { maxLength: 3 }), rule, (definitions, deny, more) => {
      const before = catalog(definitions, deny);
      const after = catalog(definitions, [...deny, more]);
      for (const one of after.list()) expect(before.list()).toContain(one);
      if (after.list().length < before.list().length) fewer += 1;
    }),
    { numRuns: 500 },
  );
  expect(fewer).toBeGreaterThan(20);
});

const text = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        "a",
        ": ",
        "# ",
        '"',
        "'",
        "\n",
        "\r\n",
        "\u2028",
        "\u0085",
        "---",
        "\\",
        "\\n",
        "{",
        "(",
        ")",
        ",",
        "*",
        "- ",
        "true",
        " ",
        "\t",
        "é",
        "😀",
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((parts) => parts.join("")),
);
const words = fc.array(text, { maxLength: 4 });
/** Without -0, which JSON does not have. */
const json = fc
  .dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const written = fc.record({
  name: text,
  description: text,
  tools: optional(fc.oneof(text, words, entries)),
  disallowedTools: optional(fc.oneof(text, entries)),
  model: optional(text),
  permissionMode: optional(fc.constantFrom("plan", "acceptEdits", "dontAsk")),
  maxTurns: optional(fc.oneof(fc.nat(), fc.nat().map(String))),
  effort: optional(fc.constantFrom("high", "low", 3)),
  color: optional(text),
  background: optional(fc.boolean()),
  memory: optional(fc.constantFrom("user", "project", "local")),
  skills: optional(fc.oneof(text, words)),
  aliases: optional(words),
  initialPrompt: optional(text),
  mcpServers: optional(
    fc.array(
      fc.oneof(
        text,
        fc.record({ serverName: text, tools: optional(words) }),
        fc.tuple(text, json).map(([named, more]) => ({ [named]: { ...more, command: "c" } })),
      ),
      { maxLength: 3 },
    ),
  ),
  hooks: optional(
    fc.dictionary(
      fc.constantFrom(...hookEvents),
      fc.array(
        fc.record({ matcher: text, hooks: fc.constant([{ type: "command", command: 'a: "b"' }]) }),
      ),
      { maxKeys: 2, noNullPrototype: true },
    ),
  ),
  outputSchema: optional(json),
  budget: optional(fc.constantFrom({ usd: 0.5 }, { tokens: 3 })),
});

test("what is printed reads back as the same definition, and prints the same again", async () => {
  const file = join(temporaryDirectory(), "x.md");
  let count = 0;
  await fc.assert(
    fc.asyncProperty(written, fc.array(text), async (fields, lines) => {
      writeFileSync(file, `---\nname: x\ndescription: d\n---\n${lines.join("\n")}`);
      const prompt = (await loadDefinitionFile(file, "project")).definitions[0]?.prompt ?? "";
      const origin = { prompt, source: "project", file, where: file } as const;
      const { definition } = toDefinition(fields, origin);
      fc.pre(definition !== null);
      const printed = printDefinition(definition);
      writeFileSync(file, printed);
      const { definitions, diagnostics } = await loadDefinitionFile(file, "project");
      expect(
        diagnostics.filter(({ code }) => code === "unreadable" || code === "repaired"),
      ).toEqual([]);
      expect(definitions).toEqual([definition]);
      expect(definitions.map((one) => printDefinition(one))).toEqual([printed]);
      count += 1;
    }),
    { numRuns: 1000 },
  );
  expect(count).toBe(1000);
});

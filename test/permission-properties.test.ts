import { join } from "node:path";
import { expect, test } from "vitest";
import { fc } from "./support/properties.ts";
import { generateCommand } from "./support/shell-fuzz/generate-command.ts";
import { randomOf } from "./support/shell-fuzz/random.ts";
import { spell } from "./support/shell-fuzz/spelling.ts";
import { decisionOf, makeCountry, verdictOf, type Country } from "./support/verdict.ts";

const commands = fc
  .record({ seed: fc.nat({ max: 1_000_000 }), index: fc.nat({ max: 1000 }) })
  .map(({ seed, index }) => generateCommand(seed, index).command);

const specifiers = [
  "good1 *",
  "good2 *",
  "good3",
  "evil *",
  "other *",
  "ls *",
  "cat data.txt",
  "*",
];
const rule = fc.oneof(
  fc.constantFrom(...specifiers).map((specifier) => `Bash(${specifier})`),
  fc.constantFrom("Read(sub/**)", "Edit(*.txt)", "Bash", "Read", "mcp__a", "WebFetch(domain:a.b)"),
);
const rules = fc.array(
  fc.tuple(fc.constantFrom("allow", "ask", "deny"), rule).map(([kind, text]) => `${kind} ${text}`),
  { maxLength: 5 },
);
const mode = fc.constantFrom("default", "acceptEdits", "plan", "bypassPermissions" as const);
const rank = { deny: 0, ask: 1, allow: 2 };

function country(): Country {
  return makeCountry({ "project/data.txt": "a\n", "project/sub/notes.txt": "b\n" });
}

test("adding a part never makes a command more allowed", () => {
  const place = country();
  const part = fc.constantFrom(
    "; ls",
    " | cat",
    " && good1",
    "\necho $(good1)",
    " & evil",
    "; other",
  );
  fc.assert(
    fc.property(commands, part, rules, mode, (command, more, set, inMode) => {
      const circumstances = { mode: inMode, rules: set };
      // A part may complete what could not be read before.
      const before = verdictOf(`{ ${command}\n}`, place, circumstances);
      const after = verdictOf(`{ ${command}\n}${more}`, place, circumstances);
      expect(rank[after]).toBeLessThanOrEqual(rank[before]);
    }),
    { numRuns: 400 },
  );
});

const prefixes = ["", "env ", "nice -n 5 ", "timeout 5 ", "X=1 ", "LANG=C ", "command ", "\\"];
const enclosures: readonly (readonly [string, string])[] = [
  ["", ""],
  ["eval '", "'"],
  ["bash -c '", "'"],
  ["( ", " )"],
  ["f() { ", "; }; f"],
  ['echo "$(', ')"'],
  ["echo <(", ")"],
  ["if ", "; then :; fi"],
  ["! ", ""],
  ["for i in 1; do ", "; done"],
];

test("wrapping a command never makes it allowed that was not", () => {
  const place = country();
  const command = fc.constantFrom("evil", "other x", "good1 a", "cat sub/notes.txt", "rm -rf /");
  const wrapped = fc.tuple(
    fc.constantFrom(...prefixes),
    fc.constantFrom(...prefixes.slice(0, -1)),
    fc.constantFrom(...enclosures),
  );
  fc.assert(
    fc.property(
      command,
      wrapped,
      rules,
      mode,
      (plain, [inner, outer, [start, end]], set, inMode) => {
        const circumstances = { mode: inMode, rules: set };
        const text = `${start}${outer}${inner}${plain}${end}`;
        if (verdictOf(plain, place, circumstances) !== "allow")
          expect(verdictOf(text, place, circumstances), text).not.toBe("allow");
      },
    ),
    { numRuns: 1000 },
  );
});

test("a command that is denied stays so in any spelling of its words", () => {
  const place = country();
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom("evil", "evil a b", "other x"), (seed, command) => {
      const random = randomOf(seed, 0);
      const text = command
        .split(" ")
        .map((word) => spell(word, random))
        .join(" ");
      const denied = { rules: ["deny Bash(evil *)", "deny Bash(other x)", "allow Bash"] };
      expect(verdictOf(text, place, denied), text).not.toBe("allow");
    }),
    { numRuns: 500 },
  );
});

test("another rule that forbids never widens, and one allow rule less never does", () => {
  const place = country();
  fc.assert(
    fc.property(
      commands,
      rules,
      rule,
      fc.constantFrom("ask", "deny"),
      mode,
      (command, set, more, kind, inMode) => {
        const verdict = (list: readonly string[]): number =>
          rank[verdictOf(command, place, { mode: inMode, rules: list })];
        expect(verdict([...set, `${kind} ${more}`])).toBeLessThanOrEqual(verdict(set));
        expect(verdict(set)).toBeLessThanOrEqual(verdict([...set, `allow ${more}`]));
        expect(verdict(set.toReversed())).toBe(verdict(set));
      },
    ),
    { numRuns: 300 },
  );
});

test("granting what is suggested allows the call, and no other words", () => {
  const place = country();
  fc.assert(
    fc.property(commands, commands, (command, another) => {
      const call = { tool: "Bash", input: { command } };
      const { verdict, suggestions } = decisionOf(call, place);
      if (verdict !== "ask" || suggestions.length === 0) return;
      const grants = suggestions.map((one) => `allow ${one}`);
      expect(verdictOf(command, place, { grants }), suggestions.join()).toBe("allow");
      // Of programs, and of files that may be written from then on.
      const names = suggestions.flatMap(
        (one) => /^(?:Bash\(|Edit\(.*\/)(?<name>\S+?)[ )]/.exec(one)?.groups?.["name"] ?? [],
      );
      const other = decisionOf({ tool: "Bash", input: { command: another } }, place);
      // Its suggestions spell each program plainly, however the command does.
      const words = [another, ...other.suggestions].join("\n");
      const isOther = other.verdict === "ask" && !names.some((name) => words.includes(name));
      if (isOther) expect(verdictOf(another, place, { grants })).toBe("ask");
    }),
    { numRuns: 400 },
  );
});

test("whatever the text, something is decided, and the same each time", () => {
  const place = country();
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom(..."ab $`'\"\\(){}[]<>|&;*?~#!=\n\r\t\0\u00A0".split("")),
      maxLength: 40,
    }),
  );
  fc.assert(
    fc.property(text, text, rules, mode, (command, odd, set, inMode) => {
      const circumstances = {
        mode: inMode,
        rules: [...set, `deny Bash(${odd})`, `allow ${odd}`, `ask Read(${odd})`],
      };
      const first = verdictOf(command, place, circumstances);
      expect(verdictOf(command, place, circumstances)).toBe(first);
      const call = { tool: "Read", paths: [join(place.project, odd.replaceAll("\0", ""))] };
      expect(["allow", "ask", "deny"]).toContain(decisionOf(call, place, circumstances).verdict);
    }),
    { numRuns: 600 },
  );
});

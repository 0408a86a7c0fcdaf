import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { RetinueError } from "../../contract/errors.ts";
import { loadScenario, parseScenario } from "./scenario.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

test("a scenario is read with its defaults and the lines of its turns", () => {
  const text = `turns:
  - reply: Hello.
  - agent: general-purpose
    last: /(\\d+) passed/i
    reply:
      - thinking: Hm.
      - text: "{{ match.1 }}"
      - call: Read
        input: { file_path: /tmp/a }
      - call: TaskList
    usage: { output: 3 }
    fault: { kind: rate-limit, retryAfter: 0.5 }
expect:
  - unused: 0
`;
  expect(parseScenario(text, "some/where.yaml")).toEqual({
    name: "where.yaml",
    source: "some/where.yaml",
    speed: 0,
    turns: [
      { reply: [{ text: "Hello." }], repeat: false, line: 2 },
      {
        agent: "general-purpose",
        last: String.raw`/(\d+) passed/i`,
        reply: [
          { thinking: "Hm." },
          { text: "{{ match.1 }}" },
          { call: "Read", input: { file_path: "/tmp/a" } },
          { call: "TaskList", input: {} },
        ],
        usage: { input: 0, output: 3, cacheRead: 0, cacheWrite: 0 },
        fault: { kind: "rate-limit", times: 1, retryAfter: 0.5 },
        repeat: false,
        line: 3,
      },
    ],
    expect: [{ unused: 0, line: 14 }],
  });
});

test("all problems come in one message, each with its line and a remedy", () => {
  const text = `name: broken
turns:
  - agnet: main
    reply: Hello {{ promt }}.
  - agent: main
    task: 42
    reply:
      - text: one
        call: Read
      - call: Read
        input:
          deep:
            - "{{ match.1 }}"
            - "{{ prompt | shout }}"
    fault:
      kind: explosion
  - last: /(/
    turn: 0
  - reply: "{{ match.1 }}"
    fault: { kind: malformed-call }
expect:
  - agent: main
    unused: 0
`;
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(/^x\.yaml:3: turn 1: unknown key "agnet"; write one of agent, task,/),
    expect.stringMatching(
      /^x\.yaml:4: turn 1, reply\.1\.text: .*unknown path "promt"; write prompt/,
    ),
    expect.stringMatching(/^x\.yaml:6: turn 2, task: must be text: put it in quotes$/),
    expect.stringMatching(/^x\.yaml:8: turn 2, reply\.1: write one of thinking:, text: or call:/),
    expect.stringMatching(/^x\.yaml:14: turn 2, reply\.2\.input\.deep\.2: .*"shout"/),
    expect.stringMatching(/^x\.yaml:16: turn 2, fault\.kind: must be one of rate-limit, /),
    expect.stringMatching(/^x\.yaml:17: turn 3, last: .*Unterminated group/),
    expect.stringMatching(/^x\.yaml:17: turn 3, reply: is missing$/),
    expect.stringMatching(/^x\.yaml:18: turn 3, turn: /),
    expect.stringMatching(/^x\.yaml:19: turn 4, reply\.1\.text: .*"last" has 0 groups/),
    expect.stringMatching(/^x\.yaml:20: turn 4, fault: malformed-call needs a call:/),
    expect.stringMatching(/^x\.yaml:22: expectation 1: write unused: as an entry of its own$/),
  ]);
});

test.each([
  ["not YAML", "turns:\n  - reply: [\n", "x.yaml:3: "],
  ["a duplicate key", "turns:\n  - reply: a\n    reply: b\n", "x.yaml:3: "],
  ["an alias", "turns:\n  - &a { reply: b }\n  - *a\n", "x.yaml:3: *a: aliases are not allowed"],
  ["an unknown tag", "turns:\n  - reply: !run x\n", "x.yaml:2: "],
  ["two documents", "turns: [{ reply: a }]\n---\nturns: []\n", "x.yaml:2: "],
  ["an empty file", "", "x.yaml:1: "],
  ["no turns", "turns: []\n", "x.yaml:1: turns: "],
  ["an empty expectation", "turns: [{ reply: a }]\nexpect: [{}]\n", "x.yaml:2: expectation 1: "],
  ["unknown flags", "turns:\n  - last: /usr/bin\n    reply: a\n", String.raw`write /\/usr\/bin/`],
  ["a flag with memory", "turns:\n  - last: /a/g\n    reply: a\n", "x.yaml:2: turn 1, last: "],
  [
    "retryAfter of a fault without one",
    "turns:\n  - reply: a\n    fault: { kind: stall, retryAfter: 1 }\n",
    "x.yaml:3: turn 1, fault.retryAfter: ",
  ],
  [
    "an unquoted template",
    "turns:\n  - reply: {{ prompt }}\n",
    "x.yaml:2: a text that begins with {{",
  ],
  ["a reply of numbers", "turns:\n  - reply: 5\n", "x.yaml:2: turn 1, reply: must be a list"],
  ["bottomless nesting", `turns: ${"[".repeat(20_000)}${"]".repeat(20_000)}`, "x.yaml:1: "],
])("%s is refused", (_, text, message) => {
  expect(problemsOf(text).join("\n")).toContain(message);
});

test("of errors of syntax, which cause each other, only the first is told", () => {
  const text = "turns:\n  - { last: /[^]*a/, reply: [a }\n  - ]\n";
  expect(problemsOf(text)).toEqual([expect.stringMatching(/^x\.yaml:2: .*needs quotes\)$/)]);
});

test("more than 1 MiB is refused", () => {
  const longest = `turns: [{ reply: a }] #${"x".repeat(1024 * 1024 - 23)}`;
  expect(parseScenario(longest, "x.yaml").turns).toHaveLength(1);
  expect(problemsOf(`${longest}x`)).toEqual([expect.stringContaining("at most 1 MiB")]);
});

let directory: string;
beforeEach(async () => {
  directory = temporaryDirectory();
});

test("a file is loaded and named in its problems", async () => {
  const file = join(directory, "one.yaml");
  await writeFile(file, "name: one\nspeed: 300\nturns: [{ reply: a }]\n");
  expect(await loadScenario(file)).toMatchObject({ name: "one", speed: 300, source: file });
  await writeFile(file, "speed: fast\nturns: [{ reply: a }]\n");
  await expect(loadScenario(file)).rejects.toThrow(`${file}:1: speed: must be a number`);
});

test("what cannot be read, or is too large, is an invalid scenario", async () => {
  const large = join(directory, "large.yaml");
  await writeFile(large, "#".repeat(1024 * 1024 + 1));
  const refused = [
    [join(directory, "none.yaml"), "cannot be read (ENOENT"],
    [directory, "it is not a file"],
    [large, "at most 1 MiB"],
  ] as const;
  for (const [path, message] of refused) {
    const loading = loadScenario(path);
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toMatchObject({ code: "invalid_scenario" });
  }
});

function problemsOf(text: string): string[] {
  try {
    parseScenario(text, "x.yaml");
  } catch (error) {
    if (error instanceof RetinueError && error.code === "invalid_scenario") {
      return error.message.split("\n");
    }
    throw error;
  }
  return [];
}

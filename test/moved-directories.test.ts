import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { bubblewrap } from "../src/platform/sandbox/bubblewrap.ts";
import { TreeLock } from "../src/tools/shell/tree-lock.ts";
import { setStage } from "./support/stage.ts";
import { until, untilExists } from "./support/until.ts";
import { decisionOf, makeCountry } from "./support/verdict.ts";

// Commands that nobody approved are decided by the paths that they meet. Nothing that is accepted unasked may move those while
// such a command runs.

const found = await bubblewrap();

const mover = { description: "moves", prompt: "You move.", tools: ["Bash", "Write"] };
const reader = { description: "reads", prompt: "You read.", tools: ["Bash"] };
const options = {
  agents: { mover, reader },
  permissionMode: "acceptEdits" as const,
  settings: { sandbox: { autoApproved: false }, permissions: { deny: ["Edit(./kept.txt)"] } },
  files: { "kept.txt": "kept", "deep/a/file": "" },
};

const waits = "while [ ! -e go ]; do sleep 0.1; done";

test("a directory is not moved unasked while a command of another agent stands in it", async () => {
  const { manager, cwd, events } = setStage(
    `
turns:
  - { agent: reader, turn: 1, reply: [{ call: Bash, input: { command: "cd deep/a" } }] }
  - { agent: reader, turn: 2, reply: [{ call: Bash, input: { command: "${waits}; echo evil > ../kept.txt" } }] }
  - { agent: reader, turn: 3, reply: "done" }
  - { agent: mover, turn: 1, reply: [{ call: Bash, input: { command: "mv deep/a a2" } }] }
  - { agent: mover, turn: 2, reply: "done" }
`,
    options,
  );
  const first = manager.run({ prompt: "read", subagent_type: "reader" });
  await until(() => expect(events.filter(({ type }) => type === "tool-call-start").length).toBe(2));
  await until(() => expect(events.filter(({ type }) => type === "tool-call-end").length).toBe(1));
  const second = await manager.run({ prompt: "move", subagent_type: "mover" });
  expect(second.deniedCalls[0]?.reason).toMatch(/another command runs, under which it would move/);
  writeFileSync(join(cwd, "deep", "a", "go"), "");
  await first;
  expect(readFileSync(join(cwd, "kept.txt"), "utf8")).toBe("kept");
  expect(readFileSync(join(cwd, "deep", "kept.txt"), "utf8")).toBe("evil\n");
});

test.each([
  ["in the background", "run_in_background: true, ", ""],
  ["behind &", "", " &"],
  ["behind & before a digit", "", " &2>/dev/null"],
])("a directory is not removed unasked while a command runs %s", async (_, input, end) => {
  const { manager, cwd } = setStage(
    `
turns:
  - { agent: mover, turn: 1, reply: [{ call: Bash, input: { ${input}command: "( ${waits}; cat links/l )${end}" } }] }
  - { agent: mover, turn: 2, reply: [{ call: Bash, input: { command: "rm -r links" } }] }
  - { agent: mover, turn: 3, reply: "done" }
`,
    options,
  );
  mkdirSync(join(cwd, "links"));
  symlinkSync("../kept.txt", join(cwd, "links", "l"));
  const { deniedCalls } = await manager.run({ prompt: "move", subagent_type: "mover" });
  expect(deniedCalls.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/would move directories/),
  ]);
  expect(existsSync(join(cwd, "links", "l"))).toBe(true);
});

test("a directory is not moved unasked under a command of which a rule approves one part", async () => {
  const { manager, cwd, events } = setStage(
    `
turns:
  - { agent: reader, turn: 1, reply: [{ call: Bash, input: { command: "cd deep/a" } }] }
  - { agent: reader, turn: 2, reply: [{ call: Bash, input: { command: "node --version; ${waits}; echo evil > ../kept.txt" } }] }
  - { agent: reader, turn: 3, reply: "done" }
  - { agent: mover, turn: 1, reply: [{ call: Bash, input: { command: "mv deep/a a2" } }] }
  - { agent: mover, turn: 2, reply: [{ call: Bash, input: { command: "cp -r deep/a a2" } }] }
  - { agent: mover, turn: 3, reply: "done" }
`,
    {
      ...options,
      settings: {
        sandbox: { autoApproved: false },
        permissions: { allow: ["Bash(node --version)"] },
      },
    },
  );
  const first = manager.run({ prompt: "read", subagent_type: "reader" });
  await until(() => expect(events.filter(({ type }) => type === "tool-call-start").length).toBe(2));
  await until(() => expect(events.filter(({ type }) => type === "tool-call-end").length).toBe(1));
  const second = await manager.run({ prompt: "move", subagent_type: "mover" });
  expect(second.deniedCalls.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/another command runs, under which it would move/),
    expect.stringMatching(/another command runs, under which it would move/),
  ]);
  writeFileSync(join(cwd, "deep", "a", "go"), "");
  await first;
  expect(readFileSync(join(cwd, "deep", "kept.txt"), "utf8")).toBe("evil\n");
});

test("a copy of directories does not run beside other calls, and nothing is written before it has ended", async () => {
  const { manager, cwd } = setStage(
    `
turns:
  - { agent: mover, turn: 1, reply: [{ call: Bash, input: { run_in_background: true, command: "${waits}; cp -r x/. sub" } }] }
  - { agent: mover, turn: 2, reply: [{ call: Bash, input: { command: "touch begun; sleep 1; cp -r x/. sub" } }] }
  - { agent: mover, turn: 3, reply: "done" }
  - { agent: reader, turn: 1, reply: [{ call: Write, input: { file_path: "x/l", content: "evil" } }] }
  - { agent: reader, turn: 2, reply: "done" }
`,
    {
      ...options,
      agents: { mover, reader: { ...reader, tools: ["Write"] } },
      files: { ...options.files, "x/f": "f", "sub/l": "kept" },
    },
  );
  const first = manager.run({ prompt: "copy", subagent_type: "mover" });
  await untilExists(join(cwd, "begun"));
  await manager.run({ prompt: "write", subagent_type: "reader" });
  const { deniedCalls } = await first;
  expect(deniedCalls.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/would move directories while other commands run/),
  ]);
  expect(readFileSync(join(cwd, "x", "l"), "utf8")).toBe("evil");
  expect(readFileSync(join(cwd, "sub", "l"), "utf8")).toBe("kept");
});

test("directories are moved and removed unasked when nothing else runs", async () => {
  const { manager, cwd } = setStage(
    `
turns:
  - { agent: mover, turn: 1, reply: [{ call: Bash, input: { command: "mv deep/a a2 && ls" } }] }
  - { agent: mover, turn: 2, reply: [{ call: Bash, input: { command: "rm -r a2; rmdir deep" } }] }
  - { agent: mover, turn: 3, reply: "done" }
`,
    options,
  );
  expect(await manager.run({ prompt: "move", subagent_type: "mover" })).toMatchObject({
    denials: 0,
  });
  expect([existsSync(join(cwd, "a2")), existsSync(join(cwd, "deep"))]).toEqual([false, false]);
});

test("a name that a glob would turn into an option is not written unasked", async () => {
  const { manager, cwd } = setStage(
    `
turns:
  - { agent: mover, turn: 1, reply: [{ call: Write, input: { file_path: "./-R", content: "" } }] }
  - { agent: mover, turn: 2, reply: [{ call: Bash, input: { command: "touch ./-R" } }] }
  - { agent: mover, turn: 3, reply: [{ call: Bash, input: { command: "echo x > ./-L" } }] }
  - { agent: mover, turn: 4, reply: "done" }
`,
    options,
  );
  expect(await manager.run({ prompt: "write", subagent_type: "mover" })).toMatchObject({
    denials: 3,
  });
  expect([existsSync(join(cwd, "-R")), existsSync(join(cwd, "-L"))]).toEqual([false, false]);
});

test.skipIf("missing" in found)(
  "the kernel keeps from unapproved commands what rules deny, whatever moves meanwhile",
  async () => {
    const { manager, cwd } = setStage(
      `
turns:
  - { agent: mover, turn: 1, reply: [{ call: Bash, input: { command: "touch begun; while [ ! -e go ]; do sleep 0.1; done; cat l; echo evil > k" } }] }
  - { agent: mover, turn: 2, reply: "{{ result.Bash }}" }
`,
      {
        ...options,
        settings: { permissions: { deny: ["Read(./.env)", "Edit(./kept.txt)"] } },
        files: { ...options.files, ".env": "SECRET=canary", l: "harmless", k: "" },
      },
    );
    const result = manager.run({ prompt: "go", subagent_type: "mover" });
    await untilExists(join(cwd, "begun"));
    for (const [name, target] of [
      ["l", ".env"],
      ["k", "kept.txt"],
    ] as const) {
      rmSync(join(cwd, name));
      symlinkSync(target, join(cwd, name));
    }
    writeFileSync(join(cwd, "go"), "");
    const { content } = await result;
    expect(content).not.toContain("canary");
    expect(readFileSync(join(cwd, "kept.txt"), "utf8")).toBe("kept");
  },
);

test("of two commands that wait for a third to move directories, one begins at a time", async () => {
  const lock = new TreeLock();
  const first = lock.hold({ moves: true });
  const seen: string[] = [];
  const waiting = ["a", "b"].map(async (name) => {
    while (lock.isMoved) await lock.settled();
    seen.push(`${name} begins`);
    using _ = lock.hold({ moves: true });
    await setImmediate();
    seen.push(`${name} ends`);
  });
  first[Symbol.dispose]();
  await Promise.all(waiting);
  expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  expect([lock.isMoved, lock.isRead]).toEqual([false, false]);
});

test("a line of which a rule covers one part holds the tree, one that rules cover whole does not", () => {
  const place = makeCountry({ "project/README": "", "project/src/a": "", "project/y/": "" });
  const rules = ["allow Bash(npm test *)", "allow Edit(src/**)"];
  const tree = (command: string): unknown =>
    decisionOf({ tool: "Bash", input: { command } }, place, { mode: "acceptEdits", rules }).tree;
  expect(tree("npm test; sleep 4; cat README")).toEqual({ moves: false, runsOn: false });
  expect(tree("npm test > src/log")).toEqual({ moves: false, runsOn: false });
  expect(tree("npm test && mv y q")).toEqual({ moves: true, runsOn: false });
  expect(tree("npm test && npm test x")).toBeUndefined();
  expect(tree("npm test 2>&1 | grep -n fail | tail -20")).toBeUndefined();
  expect(tree("npm test 2>&1 | grep -rn fail")).toBeDefined();
  expect(tree("npm test & sleep 1; cat README")).toEqual({ moves: false, runsOn: false });
  expect(tree("npm test > src/log & cat README")).toEqual({ moves: false, runsOn: false });
  expect(tree("(npm test; npm test > src/log) & ls")).toEqual({ moves: false, runsOn: true });
  expect(tree("(sleep 9; cat README) & npm test")).toEqual({ moves: false, runsOn: true });
});

test.each([
  ["in the background", `run_in_background: true, command: "sleep 60; ln -sf kept.txt h"`],
  ["beside others", `command: "(sleep 60; ln -sf kept.txt h) > /dev/null 2>&1 &"`],
])("no path is known while a command that may make links runs %s", async (_, input) => {
  const { manager } = setStage(
    `
turns:
  - { agent: mover, turn: 1, reply: [{ call: Bash, input: { ${input} } }] }
  - { agent: mover, turn: 2, reply: [{ call: Bash, input: { command: "cat deep/a/h" } }] }
  - { agent: mover, turn: 3, reply: "done" }
`,
    {
      ...options,
      files: { ...options.files, "deep/a/h": "here" },
      settings: { sandbox: { autoApproved: false }, permissions: { allow: ["Bash(ln *)"] } },
    },
  );
  const { deniedCalls } = await manager.run({ prompt: "link", subagent_type: "mover" });
  expect(deniedCalls.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/cat deep\/a\/h/),
  ]);
});

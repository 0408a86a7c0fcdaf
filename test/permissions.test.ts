import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setStage, temporaryDirectory } from "./support/stage.ts";

const calls = {
  Bash: '{ command: "touch made" }',
  Write: "{ file_path: made, content: x }",
  Edit: "{ file_path: a.txt, old_string: a, new_string: b }",
  NotebookEdit: "{ notebook_path: a.ipynb, new_source: x }",
  WebFetch: '{ url: "https://page.invalid/", prompt: x }',
};

test.each(Object.entries(calls))(
  "%s is denied unless it is named, and the child and the watcher are told how",
  async (tool, input) => {
    const { manager, events, requests, cwd } = setStage(
      `turns: [{ turn: 1, reply: [{ call: ${tool}, input: ${input} }] }, { turn: 2, reply: I was denied }]`,
      { files: { "a.txt": "a" } },
    );
    const agent = await manager.main({ prompt: "x" });
    const { metrics } = await manager.output(agent.id, { block: true });
    expect(metrics?.denials).toBe(1);
    const denials = events.filter((event) => event.type === "permission-deny");
    expect(denials).toHaveLength(1);
    expect(denials[0]?.reason).toContain(`--allowedTools ${tool}`);
    const result = JSON.stringify(requests[1]?.messages.at(-1));
    expect(result).toContain("Permission denied");
    expect(result).toContain(`--allowedTools ${tool}`);
    expect(existsSync(join(cwd, "made"))).toBe(false);
  },
);

test("a tool that is confined for an agent is confined for its children", async () => {
  const { manager, events, cwd } = setStage(
    `
turns:
  - task: hand it out
    turn: 1
    reply: [{ call: Agent, input: { description: d, prompt: make it, subagent_type: general-purpose } }]
  - task: hand it out
    turn: 2
    reply: done
  - task: make it
    turn: 1
    reply:
      - { call: Bash, input: { command: "touch made" } }
      - { call: Write, input: { file_path: made, content: x } }
  - task: make it
    turn: 2
    reply: I was denied
`,
    {
      allowedTools: ["Bash", "Edit"],
      agents: {
        careful: {
          description: "d",
          prompt: "p",
          tools: ["Agent", "Bash(git diff *)", "Edit(docs/**)"],
        },
      },
    },
  );
  const agent = await manager.main({ prompt: "hand it out", subagent_type: "careful" });
  await manager.output(agent.id, { block: true });
  const denials = events.filter((event) => event.type === "permission-deny");
  expect(denials).toMatchObject([
    { reason: expect.stringContaining("git diff") as string },
    { reason: expect.stringContaining("docs/**") as string },
  ]);
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("delegating and keeping a list need no approval, and the rules for a parent bind its children", async () => {
  const { manager, events, cwd } = setStage(`
turns:
  - task: hand it out
    turn: 1
    reply:
      - { call: TodoWrite, input: { todos: [] } }
      - { call: Agent, input: { description: d, prompt: make it, subagent_type: general-purpose } }
  - task: hand it out
    turn: 2
    reply: done
  - task: make it
    turn: 1
    reply: [{ call: Write, input: { file_path: made, content: x } }]
  - task: make it
    turn: 2
    reply: I was denied
`);
  const agent = await manager.main({ prompt: "hand it out" });
  await manager.output(agent.id, { block: true });
  const denied = events.flatMap((event) =>
    event.type === "permission-deny" ? [event.call.name] : [],
  );
  expect(denied).toEqual(["Write"]);
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("reading, searching and listing inside the working directory need no approval", async () => {
  const { manager, events } = setStage(
    `
turns:
  - turn: 1
    reply:
      - { call: Read, input: { file_path: a.txt } }
      - { call: Grep, input: { pattern: hello } }
      - { call: Glob, input: { pattern: "**/*.txt" } }
  - turn: 2
    reply: fine
`,
    { files: { "a.txt": "hello" } },
  );
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  await manager.output(agent.id, { block: true });
  expect(events.filter((event) => event.type === "permission-deny")).toEqual([]);
  const ends = events.flatMap((event) =>
    event.type === "tool-call-end" ? [event.result.is_error ?? false] : [],
  );
  expect(ends).toEqual([false, false, false]);
});

test("nothing outside the working directory can be read, by no spelling", async () => {
  const secret = temporaryDirectory();
  writeFileSync(join(secret, "key.txt"), "SECRET-VALUE");
  const inputs = [
    ["Read", `{ file_path: "${secret}/key.txt" }`],
    ["Read", '{ file_path: "../outside.txt" }'],
    ["Read", "{ file_path: link/key.txt }"],
    ["Read", "{ file_path: link }"],
    ["Read", '{ file_path: "/proc/self/environ" }'],
    ["Grep", `{ pattern: SECRET, path: "${secret}", output_mode: content }`],
    ["Grep", "{ pattern: SECRET, path: link, output_mode: content }"],
    ["Grep", `{ pattern: SECRET, path: ".", glob: "${secret}/*", output_mode: content }`],
    ["Glob", `{ pattern: "${secret}/*" }`],
    ["Glob", '{ pattern: "../*" }'],
    ["Glob", '{ pattern: "link/*" }'],
    ["Glob", `{ pattern: "*.txt", path: "${secret}" }`],
  ];
  const turns = inputs.map(
    ([tool, input], index) =>
      `  - { turn: ${index + 1}, reply: [{ call: ${tool}, input: ${input} }] }`,
  );
  const { manager, events, cwd } = setStage(`turns:\n${turns.join("\n")}\n  - { reply: done }`);
  symlinkSync(secret, join(cwd, "link"));
  writeFileSync(join(cwd, "..", "outside.txt"), "SECRET-VALUE");
  const agent = await manager.spawn({ prompt: "x", subagent_type: "Explore" });
  await manager.output(agent.id, { block: true });
  const results = events.flatMap((event) =>
    event.type === "tool-call-end" ? [JSON.stringify(event.result)] : [],
  );
  expect(results).toHaveLength(inputs.length);
  expect(
    results.filter((result) => result.includes("SECRET-VALUE") || result.includes("key.txt")),
  ).toEqual(
    results.filter((result) => result.includes("Permission denied") && result.includes("key.txt")),
  );
});

test("Edit covers Write and NotebookEdit; host-given tools of one agent do not reach its siblings", async () => {
  const { manager, events, cwd } = setStage(
    "turns: [{ turn: 1, reply: [{ call: Write, input: { file_path: made, content: x } }] }, { turn: 2, reply: ok }]",
  );
  const allowed = await manager.spawn({ prompt: "x", allowedTools: ["Edit"] });
  await manager.output(allowed.id, { block: true });
  expect(existsSync(join(cwd, "made"))).toBe(true);
  const sibling = await manager.spawn({ prompt: "x" });
  await manager.output(sibling.id, { block: true });
  expect(
    events.filter((event) => event.type === "permission-deny").map((event) => event.agentId),
  ).toEqual([sibling.id]);
});

test("a rule that would allow nothing is refused", () => {
  expect(() => setStage("turns: [{ reply: ok }]", { allowedTools: ["B*"] })).toThrow(
    /allows nothing/,
  );
  expect(() => setStage("turns: [{ reply: ok }]", { allowedTools: ["Bsh"] })).toThrow(
    /Did you mean 'Bash'/,
  );
});

test("what was decided on is what is touched: a link that is turned afterwards leads nowhere new", async () => {
  const secret = temporaryDirectory();
  writeFileSync(join(secret, "key"), "the secret");
  const { manager, events, cwd } = setStage(
    `turns: [{ turn: 1, reply: [{ call: Read, input: { file_path: link } }] }, { turn: 2, reply: done }]`,
    { files: { "a.txt": "harmless" } },
  );
  symlinkSync(join(cwd, "a.txt"), join(cwd, "link"));
  // Turned as soon as the call is announced: after the request, before or while it runs.
  const turning = (async () => {
    for await (const event of manager.events({ types: ["tool-call-start"] })) {
      if (event.type !== "tool-call-start") continue;
      rmSync(join(cwd, "link"));
      symlinkSync(join(secret, "key"), join(cwd, "link"));
      return;
    }
  })();
  const agent = await manager.main({ prompt: "x" });
  await manager.output(agent.id, { block: true });
  await turning;
  const end = events.find((event) => event.type === "tool-call-end");
  expect(JSON.stringify(end)).not.toContain("the secret");
});

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { setStage, type Stage } from "./support/stage.ts";

const talker = { description: "talks", prompt: "You talk.", tools: ["Bash"] };
const options = { agents: { talker }, allowedTools: ["Bash"], limits: { resultCharacters: 20 } };

const told = ({ manager }: Stage): string => readFileSync(manager.transcripts.main, "utf8");

/** The files that notifications have named, in their order. */
function namedFiles(stage: Stage): string[] {
  return [...told(stage).matchAll(/<output-file>([^<]+)<\/output-file>/g)].map(
    ([, file = ""]) => file,
  );
}

test("a second long result of an agent leaves the first one where its parent was told that it is", async () => {
  const stage = setStage(
    `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: d, prompt: talk, subagent_type: talker, run_in_background: true } }] }
  - { agent: main, turn: 2, reply: launched }
  - { agent: main, turn: 3, reply: [{ call: Agent, input: { description: d, prompt: more, resume: '{{ last | match /<task-id>(\\w+)/ }}', run_in_background: true } }] }
  - { agent: main, turn: 4, reply: launched }
  - { agent: main, turn: 5, reply: done }
  - { agent: talker, turn: 1, reply: "${"x".repeat(100)} one" }
  - { agent: talker, turn: 2, reply: "${"y".repeat(100)} two" }
`,
    options,
  );
  const { manager } = stage;
  const main = await manager.main({ prompt: "go" });
  expect(await manager.output(main.id, { block: true })).toMatchObject({ content: "done" });
  const files = namedFiles(stage);
  expect(files).toHaveLength(2);
  expect(files.map((file) => readFileSync(file, "utf8").slice(-3))).toEqual(["one", "two"]);

  const child = manager.list({ all: true }).find(({ depth }) => depth === 1);
  await manager.remove(child?.id ?? "");
  expect(files.filter((file) => existsSync(file))).toEqual([]);
});

import { globSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRehearsal, parseScenario, type ModelRequest } from "../src/index.ts";
import type { AssistantBlock, UserBlock } from "../src/contract/message.ts";
import { countedCalls } from "./support/counted-calls.ts";
import { startCrashing, type Crashing } from "./support/crash.ts";
import { setStage } from "./support/stage.ts";
import { quiet, untilGo } from "./support/quiet-agent.ts";
import { untilExists } from "./support/until.ts";

const options = { agents: { quiet }, allowedTools: ["Bash"], countsCalls: true };

const mainTranscript = ({ configDir, sessionId }: Crashing): string => {
  const [file = "none"] = globSync(`projects/*/${sessionId}.jsonl`, { cwd: configDir });
  return join(configDir, file);
};

async function killWhenHere(crashing: Crashing): Promise<void> {
  const here = join(crashing.cwd, "here");
  await untilExists(here);
  await crashing.kill();
}

/** Leaves the transcript as it was after the last line of this type. */
function cutAfterLast(path: string, type: string): void {
  const text = readFileSync(path, "utf8");
  const end = text.indexOf("\n", text.lastIndexOf(`"type":"${type}"`)) + 1;
  truncateSync(path, Buffer.byteLength(text.slice(0, end)));
}

const childMetas = ({ configDir }: Crashing): string[] =>
  globSync("projects/*/*/subagents/*.meta.json", { cwd: configDir }).map((file) =>
    join(configDir, file),
  );

async function goOn(crashing: Crashing): Promise<string> {
  writeFileSync(join(crashing.cwd, "go"), "");
  const manager = crashing.reopen();
  expect(await manager.resumeAll()).toMatchObject({ failed: [] });
  const { content } = await manager.output(crashing.mainId, { block: true });
  return content;
}

test("a call that had not begun is made after a crash, though an earlier one had its id", async () => {
  const scenario = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Bash, input: { command: "echo 1 >> effects" } }] }
  - { agent: main, turn: 2, reply: [{ call: Bash, input: { command: "echo 2 >> effects; touch here; ${untilGo}" } }] }
  - { agent: main, turn: 3, reply: "done" }
`;
  const crashing = await startCrashing(scenario, options);
  await killWhenHere(crashing);
  cutAfterLast(mainTranscript(crashing), "assistant");
  writeFileSync(join(crashing.cwd, "effects"), "1\n");
  expect(await goOn(crashing)).toBe("done");
  expect(readFileSync(join(crashing.cwd, "effects"), "utf8")).toBe("1\n2\n");
});

const children = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: one, prompt: one, subagent_type: quiet } }] }
  - { agent: main, turn: 2, reply: [{ call: Agent, input: { description: two, prompt: two, subagent_type: quiet } }] }
  - { agent: main, turn: 3, reply: "{{ results.1 }}" }
  - { agent: quiet, task: one, turn: 1, reply: "gold of one" }
  - { agent: quiet, task: two, turn: 1, reply: [{ call: Bash, input: { command: "touch here; ${untilGo}" } }] }
  - { agent: quiet, task: two, turn: 2, reply: "gold of two" }
`;

test("a parent finds the child of its last call after a crash, not that of an earlier call with the same id", async () => {
  const crashing = await startCrashing(children, options);
  await killWhenHere(crashing);
  expect(await goOn(crashing)).toContain("gold of two");
  expect(childMetas(crashing)).toHaveLength(2);
});

test("a child that was about to be started is started after a crash, though an earlier call had the same id", async () => {
  const crashing = await startCrashing(children, options);
  await killWhenHere(crashing);
  cutAfterLast(mainTranscript(crashing), "retinue-step");
  const isOfTwo = (meta: string): boolean =>
    readFileSync(meta, "utf8").includes('"description":"two"');
  for (const meta of childMetas(crashing).filter(isOfTwo)) rmSync(meta);
  expect(await goOn(crashing)).toContain("gold of two");
  expect(childMetas(crashing)).toHaveLength(2);
});

test("a provider reads each call with its own result, and long outputs of two agents have two files", async () => {
  const scenario = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Bash, input: { command: "seq 1 20000" } }] }
  - { agent: main, turn: 2, reply: [{ call: Agent, input: { description: d, prompt: p, subagent_type: quiet } }] }
  - { agent: main, turn: 3, reply: done }
  - { agent: quiet, turn: 1, reply: [{ call: Bash, input: { command: "seq 20000 -1 1" } }] }
  - { agent: quiet, turn: 2, reply: gold }
`;
  const requests: ModelRequest[] = [];
  const model = countedCalls(createRehearsal(parseScenario(scenario, "scenario.yaml")));
  const { manager } = setStage(scenario, {
    agents: { quiet },
    allowedTools: ["Bash"],
    model: {
      ...model,
      stream: (request, signal) => {
        requests.push(request);
        return model.stream(request, signal);
      },
    },
  });
  const main = await manager.main({ prompt: "go" });
  await manager.output(main.id, { block: true });
  const blocks = (requests.at(-1)?.messages ?? []).flatMap(
    ({ content }): (AssistantBlock | UserBlock)[] => content,
  );
  const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const results = blocks.flatMap((block) =>
    block.type === "tool_result" ? [block.tool_use_id] : [],
  );
  expect(new Set(calls).size).toBe(2);
  expect(results).toEqual(calls);
  const files = globSync(`${manager.sessionId}/tool-results/*`, {
    cwd: manager.transcripts.projectDir,
  }).map((file) => join(manager.transcripts.projectDir, file));
  const firstLines = files.map((file) => readFileSync(file, "utf8").split("\n")[0] ?? "");
  expect(firstLines.toSorted()).toEqual(["1", "20000"]);
});

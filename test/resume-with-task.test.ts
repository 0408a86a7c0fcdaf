import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRehearsal, parseScenario, type Model, type ModelRequest } from "../src/index.ts";
import { startCrashing, type Crashing } from "./support/crash.ts";
import { quiet } from "./support/quiet-agent.ts";
import { until } from "./support/until.ts";

const options = { agents: { quiet }, allowedTools: ["Bash"] };

const scenario = `
turns:
  - { agent: main, turn: 1, reply: [
      { call: Agent, input: { description: fast, prompt: fast, subagent_type: quiet } },
      { call: Agent, input: { description: slow, prompt: slow, subagent_type: quiet } },
      { call: Agent, input: { description: aside, prompt: aside, subagent_type: quiet, run_in_background: true } }] }
  - { agent: main, turn: 2, reply: heard }
  - { agent: main, turn: 3, reply: heard }
  - { agent: quiet, task: fast, turn: 1, reply: "fast gold" }
  - { agent: quiet, task: slow, turn: 1, reply: [{ call: Bash, input: { command: "echo slow >> effects; sleep 600" } }] }
  - { agent: quiet, task: aside, turn: 1, reply: [{ call: Bash, input: { command: "touch aside; while [ ! -e go ]; do sleep 0.02; done" } }] }
  - { agent: quiet, task: aside, turn: 2, reply: "gold beside" }
`;

/** What the agents of a reopened session ask, in order. */
function listening(requests: ModelRequest[]): Model {
  const model = createRehearsal(parseScenario(scenario, "scenario.yaml"));
  return {
    ...{ provider: model.provider, scripted: model.scripted },
    stream(request, signal) {
      requests.push(structuredClone(request));
      return model.stream(request, signal);
    },
  };
}

function metasOf({ configDir }: Crashing): string[] {
  const files = globSync("projects/*/*/subagents/*.meta.json", { cwd: configDir });
  return files.map((file) => readFileSync(join(configDir, file), "utf8"));
}

/** As if the process had been killed just before its main agent heard what its calls gave. */
function forgetResults({ configDir, sessionId }: Crashing): void {
  const [file = "none"] = globSync(`projects/*/${sessionId}.jsonl`, { cwd: configDir });
  const path = join(configDir, file);
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, lines.filter((line) => !line.includes('"tool_use_id"')).join("\n"));
}

test("a parent that is resumed with a new task is handed what its child had found, then reads the task", async () => {
  const crashing = await startCrashing(scenario, options);
  const { cwd, mainId } = crashing;
  await until(() => {
    expect(existsSync(join(cwd, "effects")) && existsSync(join(cwd, "aside"))).toBe(true);
    const fast = metasOf(crashing).find((meta) => meta.includes('"description":"fast"'));
    expect(fast).toContain('"state":"completed"');
  });
  await crashing.kill();
  forgetResults(crashing);
  writeFileSync(join(cwd, "go"), "");
  const requests: ModelRequest[] = [];
  const manager = crashing.reopen({ model: listening(requests) });
  await manager.resume(mainId, { prompt: "do this instead" });
  const { state } = await manager.output(mainId, { block: true });
  expect(state).toBe("completed");

  const first = requests.find(({ origin }) => origin.agentId === mainId);
  const said = (first?.messages.at(-1)?.content ?? []).map((block) =>
    block.type === "tool_result" ? JSON.stringify(block.content) : JSON.stringify(block),
  );
  expect(said[0]).toContain("fast gold");
  expect(said[1]).toContain("Interrupted: the process that ran this call ended");
  expect(said[2]).toContain("The agent runs in the background.");
  expect(said[3]).toContain("do this instead");
  // No child was started a second time, and none that nobody asks for any more went on.
  expect(metasOf(crashing)).toHaveLength(3);
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("slow\n");
  const main = readFileSync(manager.transcripts.main, "utf8");
  expect(main.match(/<result>gold beside<\/result>/g)).toHaveLength(1);
});

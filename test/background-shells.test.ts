import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { commands, until } from "../src/tools/shell/shell-tools-fixture.ts";
import type { AgentEvent } from "../src/index.ts";
import { textOf } from "../src/contract/message.ts";
import { sequence, setStage } from "./support/stage.ts";

afterEach(() => vi.unstubAllEnvs());

const id = "{{ result.Bash.1 | match /as (b[0-9a-f]{8})/ }}";
const file = String.raw`{{ result.Bash.1 | match /goes to (\S+\.output)/ }}`;

function background(command: string): string {
  return JSON.stringify([{ call: "Bash", input: { command, run_in_background: true } }]);
}

function calls(...each: object[]): string {
  return JSON.stringify(each);
}

/** Results of an agent's calls, in order. */
function results(events: readonly AgentEvent[], agentId: string): string[] {
  return events.flatMap((event) =>
    event.type === "tool-call-end" && event.agentId === agentId
      ? [`${event.call.name}: ${textOf(event.result.content)}`]
      : [],
  );
}

test("the main agent starts a command, reads its file unasked, waits for it and stops another", async () => {
  const { manager, events, cwd } = setStage(
    `
turns:
  - turn: 1
    reply: ${background("echo begun; until [ -e go ]; do sleep 0.01; done; echo done")}
  - turn: 2
    reply: ${background("sleep 300")}
  - turn: 3
    reply: ${calls({ call: "Bash", input: { command: `until [ -s ${file} ]; do sleep 0.01; done` } }, { call: "Read", input: { file_path: file } }, { call: "Bash", input: { command: "touch go" } })}
  - turn: 4
    reply: ${calls({ call: "TaskOutput", input: { task_id: id } })}
  - turn: 5
    reply: ${calls({ call: "TaskStop", input: { task_id: id.replace("Bash.1", "Bash.2") } })}
  - turn: 6
    reply: all done
`,
    { allowedTools: ["Bash"] },
  );
  const main = await manager.main({ prompt: "go" });
  expect(await manager.output(main.id, { block: true })).toMatchObject({ content: "all done" });
  const [launch = "", , , read = "", , waited, stopped] = results(events, main.id);
  expect(launch).toContain("TaskOutput waits for its end.");
  expect(read).toContain("begun");
  expect(waited).toMatch(/^TaskOutput: b\w{8} completed \(exit code 0\)\nbegun\ndone$/);
  expect(stopped).toMatch(/^TaskStop: b\w{8} stopped; \d+ process(?:es were| was) ended\.$/);
  expect(events.filter(({ type }) => type.startsWith("permission-"))).toEqual([]);
  expect(existsSync(join(cwd, "go"))).toBe(true);
});

test("an agent waits for a command as it does for a child, without a slot and with its clock stopped", async () => {
  const { manager, events, cwd } = setStage(
    `
turns:
  - turn: 1
    reply: ${background("until [ -e go ]; do sleep 0.01; done; echo late")}
  - turn: 2
    reply: ${calls({ call: "TaskOutput", input: { task_id: id } })}
  - turn: 3
    reply: "{{ result.TaskOutput | line -1 }}"
`,
    { allowedTools: ["Bash"] },
  );
  const main = await manager.main({ prompt: "go" });
  await until(() => manager.get(main.id)?.state === "waiting");
  writeFileSync(join(cwd, "go"), "");
  expect(await manager.output(main.id, { block: true })).toMatchObject({
    state: "completed",
    content: "late",
  });
  expect(sequence(events, main.id).slice(-8)).toEqual([
    "assistant-message",
    "tool-call-start TaskOutput",
    "agent-wait",
    "agent-wake",
    "tool-call-end TaskOutput",
    "turn-start",
    "assistant-message",
    "agent-end",
  ]);
  expect(events.find(({ type }) => type === "agent-wait")).toMatchObject({ reason: "child" });
});

test("a command in the background ends with its agent, before that is announced, and its file says so", async () => {
  const { manager, events } = setStage(
    `
turns:
  - turn: 1
    reply: ${background("setsid sleep 300 & sleep 300")}
  - turn: 2
    reply: "{{ result.Bash }}"
`,
    { allowedTools: ["Bash"] },
  );
  const agent = await manager.spawn({ prompt: "go", subagent_type: "general-purpose" });
  const { content } = await manager.output(agent.id, { block: true });
  expect(commands(`RETINUE_AGENT=${agent.id}`)).toEqual([]);
  const path = /goes to (\S+\.output)/.exec(content)?.[1] ?? "";
  expect(readFileSync(path, "utf8")).toBe("[stopped when its agent ended]\n");
  expect(content).not.toContain("TaskOutput");
  expect(content).toContain("TaskStop ends it");
  expect(events.at(-1)).toMatchObject({ type: "agent-end", agentId: agent.id });
});

test("rules bind commands in the background as they do others", async () => {
  const { manager, events, cwd } = setStage(
    `
turns:
  - turn: 1
    reply: ${background("touch made && echo fine")}
  - turn: 2
    reply: ${background("echo fine")}
  - turn: 3
    reply: ${calls({ call: "TaskOutput", input: { task_id: id.replace("Bash.1", "Bash.2") } })}
  - turn: 4
    reply: "{{ result.TaskOutput }}"
`,
    {
      allowedTools: ["Bash"],
      settings: { permissions: { deny: ["Bash(touch *)"] } },
    },
  );
  const main = await manager.main({ prompt: "go" });
  const { content } = await manager.output(main.id, { block: true });
  expect(results(events, main.id)[0]).toContain("'Bash(touch *)' denies it");
  expect(content).toMatch(/^b\w{8} completed \(exit code 0\)\nfine$/);
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("a rule can forbid the background alone", async () => {
  const { manager, events } = setStage(
    `turns: [{ turn: 1, reply: ${background("echo x")} }, { turn: 2, reply: ok }]`,
    {
      allowedTools: ["Bash"],
      settings: { permissions: { deny: ["Bash(run_in_background:true)"] } },
    },
  );
  const main = await manager.main({ prompt: "go" });
  await manager.output(main.id, { block: true });
  expect(results(events, main.id)[0]).toContain("'Bash(run_in_background:true)' denies it");
});

test("an agent cannot see the commands of another", async () => {
  const { manager, events } = setStage(
    `
turns:
  - agent: main
    turn: 1
    reply: ${background("sleep 300")}
  - agent: main
    turn: 2
    reply: ${calls({ call: "Agent", input: { description: "d", prompt: `stop ${id}`, subagent_type: "general-purpose" } })}
  - agent: main
    turn: 3
    reply: ${calls({ call: "TaskOutput", input: { task_id: id, block: false } })}
  - agent: main
    turn: 4
    reply: "{{ result.TaskOutput }}"
  - agent: general-purpose
    turn: 1
    reply: ${calls({ call: "TaskStop", input: { task_id: "{{ prompt | match /(b[0-9a-f]{8})/ }}" } })}
  - agent: general-purpose
    turn: 2
    reply: "{{ result.TaskStop }}"
`,
    { allowedTools: ["Bash"] },
  );
  const main = await manager.main({ prompt: "go" });
  const { content } = await manager.output(main.id, { block: true });
  const child = events.find((event) => event.type === "agent-end" && event.agentId !== main.id);
  expect(child?.type === "agent-end" ? child.result.content : "").toMatch(
    /^unknown task_id: b\w{8}\./,
  );
  expect(content).toMatch(/^b\w{8} is running\n/);
});

test.each([
  ["1", false],
  ["TRUE", false],
  ["0", true],
  ["", true],
])("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=%s: offered is %s", async (value, offered) => {
  vi.stubEnv("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", value);
  const { manager, requests } = setStage("turns: [{ reply: ok }]");
  const main = await manager.main({ prompt: "go" });
  await manager.output(main.id, { block: true });
  const text = JSON.stringify(requests[0]?.tools);
  for (const word of ['"TaskOutput"', '"TaskStop"', '"run_in_background"'])
    expect(text.includes(word)).toBe(offered);
});

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { newAgentId } from "../src/contract/ids.ts";
import { startCrashing } from "./support/crash.ts";
import { setStage } from "./support/stage.ts";
import { quiet } from "./support/quiet-agent.ts";
import { until } from "./support/until.ts";

const boss = { description: "has others work", prompt: "You lead.", tools: ["Bash", "Agent"] };
const agents = { quiet, boss, stander: boss };
const options = {
  agents,
  allowedTools: ["Bash", "Agent"],
  limits: { maxRunning: 20, maxSpawnDepth: 2 },
};

const launch = (prompt: string): string =>
  `{ call: Agent, input: { description: d, prompt: ${prompt}, subagent_type: quiet, run_in_background: true } }`;
const stay = '{ call: Bash, input: { command: "sleep 600" } }';

const scenario = `
turns:
  - { agent: main, turn: 1, reply: [${launch("of main")}] }
  - { agent: main, turn: 2, reply: [${stay}] }
  - { agent: main, turn: 3, reply: [{ call: TaskOutput, input: { task_id: "{{ last | match /<task-id>(\\\\w+)/ }}" } }] }
  - { agent: main, turn: 4, reply: "{{ result.TaskOutput }}" }
  - { agent: boss, turn: 1, reply: [${launch("of boss")}] }
  - { agent: boss, turn: 2, reply: [${stay}] }
  - { agent: boss, turn: 3, reply: "{{ last }}" }
  - { agent: boss, turn: 4, reply: "{{ last }}" }
  - { agent: stander, turn: 1, reply: [${launch("of stander")}] }
  - { agent: stander, turn: 2, reply: "cut short" }
  - { agent: stander, turn: 3, reply: "{{ last }}" }
  - { agent: stander, turn: 4, reply: "{{ last }}" }
  - { agent: quiet, turn: 1, reply: [{ call: Bash, input: { command: "until [ -e go ]; do sleep 0.02; done" } }] }
  - { agent: quiet, turn: 2, stop: max_tokens, reply: "gold {{ prompt }}" }
  - { agent: quiet, turn: 3, reply: " and more" }
  - { agent: Explore, reply: seen }
`;

test(
  "a child that ended while its parent was stopped is told of when the parent goes on, once",
  { timeout: 120_000 },
  async () => {
    const { manager, cwd, events } = setStage(scenario, options);
    const ended = (id: string): Promise<unknown> => manager.output(id, { block: true });
    const main = await manager.main({ prompt: "go" });
    const lead = await manager.spawn({ prompt: "lead", subagent_type: "boss" });
    const stander = await manager.spawn({ subagent_type: "stander", max_turns: 1 });
    expect(await manager.process(stander.id, "one")).toMatchObject({ state: "failed" });
    await until(() => {
      const sleeping = events.filter(
        (event) => event.type === "tool-call-start" && event.call.input["command"] === "sleep 600",
      );
      expect(sleeping).toHaveLength(2);
    });
    await Promise.all([manager.stop(main.id), manager.stop(lead.id)]);
    writeFileSync(join(cwd, "go"), "");
    const children = manager.list({ all: true }).filter(({ type }) => type === "quiet");
    expect(children).toHaveLength(3);
    await Promise.all(children.map(({ id }) => ended(id)));
    for (let batch = 0; batch < 51; batch += 1) {
      const others = Array.from({ length: 20 }, () =>
        manager.spawn({ prompt: "look", subagent_type: "Explore" }),
      );
      await Promise.all((await Promise.all(others)).map(({ id }) => ended(id)));
    }
    expect((await manager.output(children[0]?.id ?? "")).content).toBe("gold of main and more");

    await manager.resume(main.id, { prompt: "what now?" });
    // The output of its child, by its id, which only the notification says.
    const output = await manager.output(main.id, { block: true });
    expect(output.content).toMatch(/^a\w+ completed\ngold of main and more$/);
    await manager.resume(lead.id, { prompt: "what now?" });
    expect((await manager.output(lead.id, { block: true })).content).toContain(
      "gold of boss and more",
    );
    const { content } = await manager.process(stander.id, "what now?");
    expect(content).toContain("<result>gold of stander and more</result>");

    const told = (): number =>
      events.filter((event) => event.type === "prompt" && event.source === "notification").length;
    expect(told()).toBe(3);
    await manager.resume(lead.id, { prompt: "and now?" });
    expect((await manager.output(lead.id, { block: true })).content).toBe("and now?");
    expect((await manager.process(stander.id, "and now?")).content).toBe("and now?");
    expect(told()).toBe(3);
  },
);

/** Writes a child of an ended session again, under ids of its own. */
function multiply(meta: string, count: number): void {
  const transcript = meta.replace(/\.meta\.json$/, ".jsonl");
  const id = /^agent-(\w+)\./.exec(basename(meta))?.[1] ?? "none";
  // Lines without their sums count as they are.
  const lines = readFileSync(transcript, "utf8").replaceAll(/,"retinueSum":"[^"]*"/g, "");
  for (let copy = 0; copy < count; copy += 1) {
    const own = newAgentId();
    const file = join(dirname(meta), `agent-${own}`);
    writeFileSync(`${file}.meta.json`, readFileSync(meta, "utf8").replaceAll(id, own));
    writeFileSync(`${file}.jsonl`, lines.replaceAll(id, own));
  }
}

test(
  "a parent of a thousand ended children is told of all of them after a crash",
  { timeout: 120_000 },
  async () => {
    const crashing = await startCrashing(
      `
turns:
  - { agent: main, turn: 1, reply: [${launch("p")}] }
  - { agent: main, turn: 2, reply: [{ call: Bash, input: { command: "sleep 600" } }] }
  - { agent: main, repeat: true, reply: heard }
  - { agent: quiet, turn: 1, reply: gold }
`,
      options,
    );
    const { configDir, mainId } = crashing;
    const metas = (): string[] =>
      globSync("projects/*/*/subagents/*.meta.json", { cwd: configDir }).map((file) =>
        join(configDir, file),
      );
    await until(() => {
      expect(readFileSync(metas()[0] ?? "none", "utf8")).toContain('"state":"completed"');
      // Its command has begun, so that it is not run again.
      const [main = "none"] = globSync("projects/*/*.jsonl", { cwd: configDir });
      expect(readFileSync(join(configDir, main), "utf8")).toMatch(/sleep 600[^]*"retinue-step"/);
    });
    await crashing.kill();
    multiply(metas()[0] ?? "none", 1100);
    const manager = crashing.reopen();
    expect(await manager.resumeAll()).toMatchObject({ failed: [] });
    await manager.output(mainId, { block: true });
    const text = readFileSync(manager.transcripts.main, "utf8");
    const told = [...text.matchAll(/"retinueMail":"([^"]+)"/g)].map(([, mail]) => mail);
    expect(told).toHaveLength(1101);
    expect(new Set(told).size).toBe(1101);
  },
);

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { mainAgentId } from "../src/contract/ids.ts";
import { metaText } from "../src/transcript/session-fixture.ts";
import { office } from "./support/office.ts";
import { until } from "./support/until.ts";
import { temporaryDirectory } from "./support/stage.ts";
import { canTrace, traceOpens, type Traced } from "./support/traced.ts";

/** Sessions with a main agent and a child each, all of them ended, in a few projects. */
function archive(sessions: number): { ids: string[]; traced: (...args: string[]) => Traced } {
  const config = temporaryDirectory();
  const below = join(config, "projects");
  const ids = Array.from({ length: sessions }, (_, index) => {
    const number = String(index).padStart(4, "0");
    const session = `${number}abcd-0000-4000-8000-000000000000`;
    const directory = join(below, `p${index % 3}`, session);
    const child = `a${number}1234`;
    const end = JSON.stringify({ type: "retinue-end", result: { state: "completed" } });
    const files = {
      [`${directory}.jsonl`]: `${end}\n`,
      [join(directory, "main.meta.json")]: metaText(session, mainAgentId(session)),
      [join(directory, `subagents/agent-${child}.jsonl`)]: `${end}\n`,
      [join(directory, `subagents/agent-${child}.meta.json`)]: metaText(session, child),
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return [mainAgentId(session), child];
  }).flat();
  const env = { CLAUDE_CONFIG_DIR: config, NO_COLOR: "1" };
  return { ids, traced: (...args) => traceOpens(args, { below, env, cwd: config }) };
}

function filesOf({ opened }: Traced): string[] {
  return opened.filter(({ how }) => how !== "list").map(({ path }) => path);
}

/** How often all agents were listed. */
function listingsOf({ opened }: Traced): number {
  return opened.filter(({ path, how }) => how === "list" && path === "/").length;
}

test.skipIf(!canTrace)(
  "output opens the files of the agent that is meant, however many others there are",
  () => {
    for (const sessions of [3, 200]) {
      const { ids, traced } = archive(sessions);
      const [main = "", child = ""] = ids;
      const directory = "/p0/0000abcd-0000-4000-8000-000000000000";
      const own = `${directory}/subagents/agent-${child}`;
      for (const [text, files] of [
        [main, [`${directory}/main.meta.json`, `${directory}.jsonl`]],
        [main.slice(0, 9), [`${directory}/main.meta.json`, `${directory}.jsonl`]],
        [child, [`${own}.meta.json`, `${own}.jsonl`]],
        [child.slice(0, 7), [`${own}.meta.json`, `${own}.jsonl`]],
      ] as const) {
        const ran = traced("output", text);
        expect(ran.code).toBe(0);
        expect(filesOf(ran)).toEqual(files);
        expect(listingsOf(ran)).toBe(1);
      }
    }
  },
  120_000,
);

test.skipIf(!canTrace)("several agents of one command are found with one listing", () => {
  const { ids, traced } = archive(20);
  const asked = ids.slice(0, 3);
  const ran = traced("stop", ...asked);
  const lines = asked.map((id) => `${id}  completed · it had already ended`);
  expect(ran.stdout.trim().split("\n").toSorted()).toEqual(lines.toSorted());
  expect([filesOf(ran).length, listingsOf(ran)]).toEqual([3, 1]);
});

test.skipIf(!canTrace)(
  "ps opens the small file of an agent that ended under an earlier version once, and nothing else of it",
  () => {
    const { ids, traced } = archive(20);
    const files = filesOf(traced("ps"));
    expect(files).toHaveLength(ids.length);
    expect(new Set(files).size).toBe(ids.length);
    expect(files.filter((file) => !file.endsWith(".meta.json"))).toEqual([]);
  },
);

const single = `
turns:
  - { agent: main, turn: 1, reply: [{ call: Agent, input: { description: front, prompt: front, subagent_type: general-purpose } }] }
  - { agent: main, turn: 2, reply: [{ call: Bash, input: { command: "touch held; until [ -e go ]; do sleep 0.05; done" } }] }
  - { agent: main, reply: "all done" }
  - { agent: general-purpose, turn: 1, reply: "went" }
  - { agent: general-purpose, turn: 2, reply: [{ call: Bash, input: { command: "touch again; until [ -e go ]; do sleep 0.05; done" } }] }
  - { agent: general-purpose, reply: "went again" }
`;

test.skipIf(!canTrace)(
  "ps opens files of the agents that it lists alone; one that was resumed and killed is not among the ended ones",
  async () => {
    const { cwd, config, runtime, detach, json, go, retinue } = office(single);
    const below = join(config, "projects");
    const env = { CLAUDE_CONFIG_DIR: config, XDG_RUNTIME_DIR: runtime, NO_COLOR: "1" };
    const ps = (): Traced => traceOpens(["ps", "--json"], { below, env, cwd });
    const isThere = (name: string): Promise<void> =>
      until(() => expect(existsSync(join(cwd, name))).toBe(true));
    const killed = async (pid: number): Promise<void> => {
      process.kill(pid, "SIGKILL");
      await until(() => expect(() => process.kill(pid, 0)).toThrow());
    };
    const first = await detach("--allowedTools", "Bash,Agent");
    await isThere("held");
    const children = await json<{ id: string; transcript: string }[]>(
      ...["ps", "-a", "--json", "--filter", "type=general-purpose"],
    );
    const [child] = children;
    const own = (files: string[]): string[] => files.filter((file) => file.includes("/agent-"));
    const metaOf = (id = ""): string => `/agent-${id}.meta.json`;

    const working = ps();
    expect(JSON.parse(working.stdout)).toMatchObject([{ id: first.id, state: "running" }]);
    expect(own(filesOf(working))).toEqual([]);
    expect(filesOf(working).filter((file) => file.endsWith("main.meta.json"))).toHaveLength(1);

    await killed(first.pid);
    const crashed = ps();
    expect(JSON.parse(crashed.stdout)).toEqual([]);
    expect((await retinue("ps")).stderr).toContain(`1 agent was interrupted. To resume it`);
    expect(own(filesOf(crashed))).toEqual([]);

    const more = ["--rehearse", "s.yaml", "--allowedTools", "Bash"];
    const second = await json<{ pid: number }>(
      ...["resume", "-d", "--json", ...more, child?.id ?? "", "once more"],
    );
    await isThere("again");
    const resumed = ps();
    expect(JSON.parse(resumed.stdout)).toMatchObject([{ id: child?.id, state: "running" }]);
    await killed(second.pid);
    const both = ps();
    expect((await retinue("ps")).stderr).toContain("2 agents were interrupted.");
    for (const ran of [resumed, both])
      expect(own(filesOf(ran)).filter((file) => file.endsWith(metaOf(child?.id)))).toHaveLength(1);

    go();
    const ended = await json<{ state: string }[]>("resume", "--all", "--json");
    expect(ended.map(({ state }) => state)).toEqual(["completed", "completed"]);
    expect(filesOf(ps())).toEqual([]);
    const all = await json<{ state: string }[]>("ps", "-a", "--json");
    expect(all.map(({ state }) => state)).toEqual(["completed", "completed"]);
  },
  60_000,
);

const family = `
turns:
  - agent: main
    turn: 1
    reply:
      - { call: Agent, input: { description: back, prompt: back, subagent_type: general-purpose, run_in_background: true } }
      - { call: Agent, input: { description: front, prompt: front, subagent_type: general-purpose } }
  - { agent: main, reply: "all done" }
  - { agent: general-purpose, turn: 1, reply: [{ call: Bash, input: { command: "touch {{ prompt }}; until [ -e go ]; do sleep 0.05; done" } }] }
  - { agent: general-purpose, turn: 2, reply: "went" }
`;

test.skipIf(!canTrace)(
  "resume --all reads each transcript once",
  async () => {
    const { cwd, config, runtime, detach, json, go } = office(family);
    const { pid } = await detach("--allowedTools", "Bash,Agent");
    await until(() => {
      for (const name of ["back", "front"]) expect(existsSync(join(cwd, name))).toBe(true);
    });
    process.kill(pid, "SIGKILL");
    go();
    await until(() => expect(() => process.kill(pid, 0)).toThrow());
    const agents = await json<{ id: string; state: string; transcript: string }[]>(
      ...["ps", "-a", "--json"],
    );
    expect(agents.map(({ state }) => state)).toEqual(Array(3).fill("interrupted"));
    const below = join(config, "projects");
    const env = { CLAUDE_CONFIG_DIR: config, XDG_RUNTIME_DIR: runtime, NO_COLOR: "1" };
    const ran = traceOpens(["resume", "--all", "--json"], { below, env, cwd });
    expect(JSON.parse(ran.stdout)).toMatchObject(
      Array.from({ length: 3 }, () => ({ state: "completed" })),
    );
    for (const { transcript } of agents) {
      const path = transcript.slice(below.length);
      const reads = ran.opened.filter((one) => one.path === path && one.how === "read");
      expect([path, reads.length]).toEqual([path, 1]);
    }
  },
  60_000,
);

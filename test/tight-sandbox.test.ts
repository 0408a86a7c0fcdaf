import { afterEach, expect, test, vi } from "vitest";
import { bubblewrap } from "../src/platform/sandbox/bubblewrap.ts";
import { marked, until } from "../src/tools/shell/shell-tools-fixture.ts";
import type { ManagerOptions } from "../src/index.ts";
import { openOf } from "./support/answering.ts";
import { setStage } from "./support/stage.ts";

const found = await bubblewrap();
const missing = "missing" in found ? found.missing : undefined;
const why = missing === undefined ? "" : ` (not here: ${missing})`;

afterEach(() => vi.unstubAllEnvs());

const nap = `sleep ${500_000 + process.pid}`;

const task = "{{ result.Bash.1 | match /as (b[0-9a-f]{8})/ }}";

/** What one command of an agent runs in: the arguments of bubblewrap, or nothing. */
async function surroundings(
  options: Partial<ManagerOptions>,
  how: { background?: boolean; isAsked?: boolean } = {},
): Promise<{ cwd: string; wraps: string[] }> {
  const input = { command: nap, ...(how.background === true && { run_in_background: true }) };
  const turns = [
    { turn: 1, reply: [{ call: "Bash", input }] },
    // A command in the background would end with its agent.
    { turn: 2, reply: [{ call: "TaskOutput", input: { task_id: task, timeout: 600_000 } }] },
  ];
  const { manager, cwd } = setStage(JSON.stringify({ turns }), {
    inbox: { attended: true },
    ...options,
  });
  const { id } = await manager.main({ prompt: "go" });
  if (how.isAsked === true) {
    const [request] = await openOf(manager, 1);
    await manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once" });
  }
  const all = (): string[] => marked(`RETINUE_AGENT=${id}`);
  await until(() => all().includes(nap));
  const wraps = all().filter((command) => command.includes("bwrap "));
  await manager.close();
  return { cwd, wraps };
}

const asked: Partial<ManagerOptions> = { settings: { permissions: { ask: ["Bash(sleep *)"] } } };

test.skipIf(missing !== undefined).each([
  ["by default", {}, {}],
  ["in the background", {}, { background: true }],
  ["in plan", { permissionMode: "plan" }, {}],
  ["in dontAsk", { permissionMode: "dontAsk" }, {}],
  ["where a rule is about other commands", { allowedTools: ["Bash(make *)", "Edit"] }, {}],
] as const)(
  `a command that needs no rule runs in the tight sandbox: %s${why}`,
  async (...given) => {
    const [, options, how] = given;
    const { cwd, wraps } = await surroundings(options as Partial<ManagerOptions>, how);
    expect(wraps.length).toBeGreaterThan(0);
    for (const wrap of wraps) {
      expect(wrap).toContain(` --ro-bind-try ${cwd} ${cwd} `);
      expect(wrap).toContain(" --unshare-net ");
    }
  },
);

test.skipIf(missing !== undefined)(
  `in acceptEdits it may write in the working directory${why}`,
  async () => {
    const { cwd, wraps } = await surroundings({ permissionMode: "acceptEdits" });
    expect(wraps.length).toBeGreaterThan(0);
    expect(wraps[0]).toContain(` --bind-try ${cwd} ${cwd} `);
  },
);

test.each([
  ["a rule for all commands", { allowedTools: ["Bash"] }, {}],
  ["a rule for this one", { allowedTools: ["Bash(sleep *)"] }, {}],
  ["the mode", { permissionMode: "bypassPermissions" }, {}],
  ["a person", asked, { isAsked: true }],
  ["the settings", { settings: { sandbox: { autoApproved: false } } }, {}],
] as const)("a command runs as we do where that was allowed by %s", async (...given) => {
  const [, options, how] = given;
  // As root the mode needs a word.
  vi.stubEnv("IS_SANDBOX", "1");
  const { wraps } = await surroundings(options as Partial<ManagerOptions>, how);
  expect(wraps).toEqual([]);
});

test.skipIf(missing !== undefined)(
  `a folder that nobody trusts does not switch the tight sandbox off${why}`,
  async () => {
    const reply = JSON.stringify([{ call: "Bash", input: { command: nap } }]);
    const files = { ".claude/settings.json": '{ "sandbox": { "autoApproved": false } }' };
    const { manager } = setStage(`turns: [{ turn: 1, reply: ${reply} }]`, { files });
    const { id } = await manager.main({ prompt: "go" });
    const all = (): string[] => marked(`RETINUE_AGENT=${id}`);
    await until(() => all().includes(nap));
    expect(all().filter((command) => command.includes("bwrap ")).length).toBeGreaterThan(0);
    await manager.close();
  },
);

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { bash, report, script } from "./support/answering.ts";
import { shop as emptyShop, type Shop } from "./support/repository.ts";

const delegate = {
  call: "Agent",
  input: { description: "d", prompt: "child", subagent_type: "x" },
};
const scenario = script({
  job: [bash("touch main"), delegate, report],
  child: [
    bash("touch commanded"),
    { call: "Write", input: { file_path: "written", content: "" } },
    report,
  ],
});
const agent = (mode: string): string =>
  `---\nname: x\ndescription: d\ntools: Bash, Write\npermissionMode: ${mode}\n---\nYou work.\n`;
const shop = (mode: string): Shop =>
  emptyShop({ "s.yaml": scenario, ".claude/agents/x.md": agent(mode) });
const run = (work: Shop, ...args: string[]): ReturnType<Shop["retinue"]> =>
  work.retinue("run", "-p", "--rehearse", "s.yaml", ...args, "job");
const made = ({ cwd }: Shop): string[] =>
  ["main", "commanded", "written"].filter((name) => existsSync(join(cwd, name)));
const rules = ["--allowedTools", "Bash(touch *),Edit"];

test.each(["default", "acceptEdits", "bubble", "auto", "dontAsk", "bypassPermissions"])(
  "an agent file that says %s does not lift --permission-mode plan, trusted or not",
  (mode) => {
    const work = shop(mode);
    expect(run(work, "--permission-mode", "plan", ...rules).code).toBe(0);
    expect(made(work)).toEqual([]);
    expect(work.retinue("trust").code).toBe(0);
    expect(run(work, "--permission-mode", "plan", ...rules).code).toBe(0);
    expect(made(work)).toEqual([]);
  },
);

test("an agent file that says plan plans below acceptEdits", () => {
  const work = shop("plan");
  run(work, "--permission-mode", "acceptEdits");
  expect(made(work)).toEqual(["main"]);
});

test("--permission-mode delegate: the main agent works through children only, and they do what rules allow", () => {
  const work = shop("default");
  const { code, stderr } = run(work, "--permission-mode", "delegate", ...rules);
  expect(code).toBe(0);
  expect(stderr).toContain("Bash is not for an agent that only delegates");
  expect(made(work)).toEqual(["commanded", "written"]);
});

test("children have more than their parent by the host's word alone: --child-permission-mode", () => {
  const work = shop("acceptEdits");
  work.retinue("trust");
  run(work);
  expect(made(work)).toEqual([]);
  const { stdout } = work.retinue("explain", "x");
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "permissions default (parent) Its definition asks for the mode 'acceptEdits'; it runs in 'default', because only the host can allow more than the parent has: --child-permission-mode acceptEdits",
  );
  const wide = work.json("explain", "x", "--child-permission-mode", "acceptEdits", "--json");
  expect(wide).toMatchObject({ permissionMode: { mode: "acceptEdits", refused: null } });
  run(work, "--child-permission-mode", "acceptEdits");
  expect(made(work)).toEqual(["commanded", "written"]);
});

test("a run says what an agent asked for and did not get", () => {
  const work = shop("default");
  const options = ["--rehearse", "s.yaml", "--permission-mode", "plan", "job"];
  const { stderr } = work.retinue("run", ...options);
  expect(stderr).toContain("Its definition asks for the mode 'default'; it runs in 'plan'");
});

test.each([["x"], ["x", "--call", "Write(a)"]])(
  "explain %j refuses a mode for children that the settings forbid, as a run does",
  (...args) => {
    // For whoever runs this as root.
    vi.stubEnv("IS_SANDBOX", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const permissions = { disableBypassPermissionsMode: "disable" };
    const work = emptyShop(
      { "s.yaml": scenario, ".claude/agents/x.md": agent("default") },
      { "settings.json": JSON.stringify({ permissions }) },
    );
    const wide = ["--child-permission-mode", "bypassPermissions"];
    const refused = "bypassPermissions is switched off by the setting";
    expect(run(work, ...wide).stderr).toContain(refused);
    const { code, stdout, stderr } = work.retinue("explain", ...args, ...wide);
    expect([code === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toContain(refused);
  },
);

test("explain takes --permission-mode manual for default, as a run does", () => {
  const explained = shop("default").json("explain", "x", "--permission-mode", "manual", "--json");
  expect(explained).toMatchObject({ permissionMode: { mode: "default" } });
});

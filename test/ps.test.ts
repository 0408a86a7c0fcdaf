import { expect, test } from "vitest";
import { addSession, alive } from "../src/transcript/session-fixture.ts";
import { office } from "./support/office.ts";

const interrupted = { state: "running" } as const;

test("ps shows an agent's name beside its task", async () => {
  const { retinue, detach } = office();
  const { id } = await detach("--name", "fixer", "--allowedTools", "Bash");
  const { stdout } = await retinue("ps");
  expect(stdout).toMatch(/^ID +NAME +TYPE .* TASK$/m);
  expect(stdout).toMatch(new RegExp(`^${id} +fixer +main .* do it$`, "m"));
});

test("ps says what to type to go on with an agent that was interrupted, though only -a lists it", async () => {
  const { retinue, config } = office();
  addSession(config, "one", { days: 1, main: interrupted });
  const hint = "1 agent was interrupted. To resume it: retinue resume main-one\n";
  expect((await retinue("ps", "-a")).stderr).toBe(hint);
  expect(await retinue("ps")).toMatchObject({
    stdout: "",
    stderr: `No agent is running. 'retinue ps -a' lists ended ones.\n${hint}`,
  });
});

test("of several that were interrupted ps says how to go on with all, and of none, or in lists for programs, nothing", async () => {
  const { retinue, config } = office();
  addSession(config, "ended", { days: 1 });
  expect((await retinue("ps", "-a")).stderr).toBe("");
  for (const session of ["one", "two"]) addSession(config, session, { days: 1, main: interrupted });
  addSession(config, "stood", { days: 1, main: { state: "idle" } });
  addSession(config, "runs", { days: 1, main: { state: "running", ...alive } });
  expect((await retinue("ps")).stderr).toBe(
    "2 agents were interrupted. To resume all of them: retinue resume --all; one of them: retinue resume ID\n",
  );
  expect((await retinue("ps", "--filter", "session=one")).stderr).toContain("resume main-one");
  expect((await retinue("ps", "--filter", "state=running")).stderr).toBe("");
  expect((await retinue("ps", "-aq")).stderr).toBe("");
  expect((await retinue("ps", "--json")).stderr).toBe("");
});

test("a filter that nothing matches is not taken for a place without agents", async () => {
  const { retinue, config } = office();
  expect((await retinue("ps", "-a")).stderr).toBe("No agents yet.\n");
  addSession(config, "ended", { days: 1 });
  const none = ["--filter", "name=zzz"];
  expect((await retinue("ps", "-a", ...none)).stderr).toBe("No agent matches the filter.\n");
  expect((await retinue("ps", ...none)).stderr).toBe(
    "No running agent matches the filter. 'retinue ps -a' lists ended ones.\n",
  );
});

test("a state that there is not is no filter", async () => {
  const { retinue } = office();
  expect(await retinue("ps", "--filter", "state=bogus")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(
      /^retinue: --filter state=bogus: an agent is .*running/,
    ) as string,
  });
});

test("what was typed wrongly is shown without its escape sequences", async () => {
  const { retinue } = office();
  const red = "\u001b[31mred\u001b]0;title\u0007";
  for (const args of [
    [red],
    ["ps", `--${red}`],
    ["logs", "-n", red, "a"],
    ["logs", "--color", red, "a"],
    ["ps", "--filter", red],
    ["logs", red],
  ]) {
    const { code, stderr } = await retinue(...args);
    expect(code).not.toBe(0);
    expect(stderr).toContain("red");
    expect(stderr).not.toContain("\u001b");
  }
});

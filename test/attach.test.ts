import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent } from "../src/index.ts";
import { office, untilGo } from "./support/office.ts";
import { until } from "./support/until.ts";
import { setStage } from "./support/stage.ts";

test("whoever attaches while a tool runs sees it at once", async () => {
  const { detach, start, cwd, go } = office();
  const run = await detach("--name", "fixer", "--allowedTools", "Bash");
  await until(() => expect(existsSync(join(cwd, "shell"))).toBe(true));
  const [shown, events] = [start("attach", "fixer"), start("attach", "--json", run.id)];
  await until(() =>
    expect(shown.printed().stderr).toMatch(/fixer {2}started[\s\S]*fixer {2}Bash /),
  );
  await until(() => expect(events.printed().stdout).toContain("\n"));
  go();
  expect(await shown.ended).toMatchObject({ code: 0, stdout: "went\n" });
  const { stdout } = await events.ended;
  const types = stdout.split("\n").flatMap((line) => {
    if (line === "") return [];
    const { type } = JSON.parse(line) as AgentEvent;
    return type === "tool-call-progress" ? [] : [type];
  });
  expect(types.slice(0, 2)).toEqual(["tool-call-start", "tool-call-end"]);
});

test("a reader that comes late is told of the calls that run now, and of none that have ended", async () => {
  const { manager, cwd } = setStage(untilGo, { allowedTools: ["Bash"] });
  const agent = await manager.spawn({ prompt: "x", subagent_type: "general-purpose" });
  await until(() => expect(existsSync(join(cwd, "shell"))).toBe(true));
  const late = manager.events({ underWay: true });
  expect((await late.next()).value).toMatchObject({
    type: "tool-call-start",
    agentId: agent.id,
    call: { name: "Bash" },
  });
  const ends = manager.events({ underWay: true, types: ["agent-end"] });
  writeFileSync(join(cwd, "go"), "");
  expect((await ends.next()).value).toMatchObject({ type: "agent-end" });
  const none = manager.events({ underWay: true });
  none.end();
  expect(await none.next()).toMatchObject({ done: true });
});

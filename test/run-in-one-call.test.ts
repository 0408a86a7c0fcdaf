import { expect, test } from "vitest";
import { sequence, setStage } from "./support/stage.ts";
import { quiet } from "./support/quiet-agent.ts";
import { until } from "./support/until.ts";

const options = { agents: { quiet }, allowedTools: ["Bash"] };

test("run gives the result of an agent in one call", async () => {
  const { manager, events } = setStage(`turns: [{ agent: quiet, reply: "done" }]`, options);
  const result = await manager.run({ prompt: "one", subagent_type: "quiet" });
  expect(result).toMatchObject({ state: "completed", content: "done", turns: 1 });
  expect(manager.get(result.agentId)?.state).toBe("completed");
  expect(sequence(events, result.agentId).at(-1)).toBe("agent-end");
});

test("a failure is a result of run, and a refusal throws", async () => {
  const { manager } = setStage(
    `turns: [{ agent: quiet, reply: [{ call: Bash, input: { command: "true" } }] }]`,
    options,
  );
  const one = { prompt: "one", subagent_type: "quiet", max_turns: 1 };
  expect(await manager.run(one)).toMatchObject({ state: "failed", error: { code: "max_turns" } });
  await expect(manager.run({ prompt: "one", subagent_type: "nobody" })).rejects.toMatchObject({
    code: "unknown_agent_type",
  });
  await expect(manager.run({ subagent_type: "quiet" } as never)).rejects.toThrow(/needs a prompt/);
});

test("the signal of run stops the agent and what it started", async () => {
  const { manager, events } = setStage(
    `turns: [{ agent: quiet, reply: [{ call: Bash, input: { command: "sleep 600" } }] }]`,
    options,
  );
  const abort = new AbortController();
  const result = manager.run({ prompt: "one", subagent_type: "quiet" }, { signal: abort.signal });
  await until(() => events.some(({ type }) => type === "tool-call-start"));
  abort.abort();
  expect(await result).toMatchObject({ state: "stopped", reason: "aborted by the host" });
  const late = manager.run({ prompt: "two", subagent_type: "quiet" }, { signal: abort.signal });
  await expect(late).rejects.toBe(abort.signal.reason);
  expect(manager.list({ all: true })).toHaveLength(1);
});

import { expect, test } from "vitest";
import type { ModelRequest } from "../src/index.ts";
import { setStage } from "./support/stage.ts";

/** What a provider would be sent, in bytes: tools, system and messages. */
function size({ tools, system, messages }: ModelRequest): number {
  return Buffer.byteLength(JSON.stringify({ tools, system, messages }));
}

test("the first request of Explore stays under 5 kB", async () => {
  const { manager, requests } = setStage("turns: [{ reply: ok, repeat: true }]", {
    files: { "CLAUDE.md": "x".repeat(9000) },
  });
  const agent = await manager.spawn({
    prompt: "Where is the retry logic?",
    subagent_type: "Explore",
  });
  await manager.output(agent.id, { block: true });
  const [request] = requests;
  expect(request === undefined ? Infinity : size(request)).toBeLessThan(5000);
});

test("children of one type share tools and system byte for byte, and two requests of one agent all but the new messages", async () => {
  const { manager, requests } = setStage(
    "turns: [{ turn: 1, reply: [{ call: Glob, input: { pattern: '*' } }] }, { turn: 2, reply: ok }]",
  );
  const agents = await Promise.all(
    [1, 2, 3].map((n) => manager.spawn({ prompt: `task ${n}`, subagent_type: "general-purpose" })),
  );
  await Promise.all(agents.map(({ id }) => manager.output(id, { block: true })));
  expect(requests).toHaveLength(6);
  const prefixes = requests.map(({ tools, system }) => JSON.stringify([tools, system]));
  expect(new Set(prefixes).size).toBe(1);
  for (const { id } of agents) {
    const [first = "", second = ""] = requests
      .filter(({ origin }) => origin.agentId === id)
      .map(({ messages }) => JSON.stringify(messages).slice(0, -1));
    expect(second.startsWith(first)).toBe(true);
    expect(second.length).toBeGreaterThan(first.length);
  }
});

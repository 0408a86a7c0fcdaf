import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { setStage } from "./support/stage.ts";

const script = `
turns:
  - turn: 1
    reply: [{ call: ExitPlanMode, input: { plan: "# Plan\\n\\n1. Do it." } }]
  - turn: 2
    reply: "{{ result.ExitPlanMode }}"
`;

test("an agent that plans hands its plan over; it is kept, and the agent is told that nobody approves", async () => {
  const { manager, events } = setStage(script, { permissionMode: "plan" });
  const main = await manager.main({ prompt: "plan it" });
  const { content } = await manager.output(main.id, { block: true });
  expect(content).toContain("still in plan mode");
  const end = events.find((event) => event.type === "tool-call-end");
  const data = end?.type === "tool-call-end" ? end.data : undefined;
  expect(data).toMatchObject({ plan: "# Plan\n\n1. Do it.", approved: false });
  const { filePath } = data as { filePath: string };
  expect(readFileSync(filePath, "utf8")).toBe("# Plan\n\n1. Do it.\n");
  expect(statSync(filePath).mode & 0o777).toBe(0o600);
});

test("no other agent has the tool", async () => {
  const { manager, requests } = setStage("turns: [{ turn: 1, reply: fine }]");
  const main = await manager.main({ prompt: "x" });
  await manager.output(main.id, { block: true });
  expect(requests[0]?.tools.map(({ name }) => name)).not.toContain("ExitPlanMode");
});

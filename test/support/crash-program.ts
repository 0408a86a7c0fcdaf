// Runs a session until somebody kills it. Reads what to run from stdin, says which session it is.
import { text } from "node:stream/consumers";
import { createManager, createRehearsal, parseScenario } from "../../src/index.ts";
import type { ManagerOptions } from "../../src/index.ts";

const { scenario, options } = JSON.parse(await text(process.stdin)) as {
  scenario: string;
  options: Omit<ManagerOptions, "model">;
};
const model = createRehearsal(parseScenario(scenario, "scenario.yaml"));
const manager = createManager({ ...options, model });
const main = await manager.main({ prompt: "go" });
process.stdout.write(`${JSON.stringify({ sessionId: manager.sessionId, mainId: main.id })}\n`);
await manager.output(main.id, { block: true });
await manager.close();

// A program with Retinue in it that never serves its session: its agent asks a person, and nobody answers in the program
// itself. Prints the id of the request, then how the agent ended.
import { createManager, createRehearsal, parseScenario } from "../../src/index.ts";

const scenario =
  'turns: [{ turn: 1, reply: [{ call: Bash, input: { command: "touch made" } }] }, { turn: 2, reply: done }]';
const manager = createManager({
  model: createRehearsal(parseScenario(scenario, "s.yaml")),
  configDir: process.env["CLAUDE_CONFIG_DIR"] ?? "",
});
manager.inbox.subscribe(({ type, request }) => {
  if (type === "asked") process.stdout.write(`${request.id}\n`);
});
const { id } = await manager.main({ prompt: "job" });
const { state } = await manager.output(id, { block: true });
await manager.close();
process.stdout.write(`${state}\n`);

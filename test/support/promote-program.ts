/**
 * Runs agents one after the other and prints how many bytes each of them left in V8's old space, where only a full
 * collection finds garbage. Run with a heap so large that there is none meanwhile.
 *
 * Usage: node --initial-heap-size=800 promote-program.ts <directory> <agents before> <agents that count>
 */
import { getHeapSpaceStatistics } from "node:v8";
import { createManager, createRehearsal, parseScenario } from "../../src/index.ts";

const [directory = "", before = "", counted = ""] = process.argv.slice(2);
const scenario = parseScenario("turns: [{ reply: done, repeat: true }]", "scenario.yaml");
const manager = createManager({
  model: createRehearsal(scenario),
  cwd: directory,
  configDir: directory,
});

await runAgents(Number(before));
const first = oldSpace();
await runAgents(Number(counted));
process.stdout.write(String((oldSpace() - first) / Number(counted)));
await manager.close();

async function runAgents(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const { id } = await manager.spawn({ prompt: "go" });
    const { state } = await manager.output(id, { block: true });
    if (state !== "completed") throw new Error(`an agent is ${state}`);
  }
}

function oldSpace(): number {
  const space = getHeapSpaceStatistics().find((one) => one.space_name === "old_space");
  return space?.space_used_size ?? Number.NaN;
}

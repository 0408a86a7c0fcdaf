// Runs a session until somebody kills it, a new one or what was interrupted of one. Reads what to run from stdin, says which
// session it is.
import { text } from "node:stream/consumers";
import { createManager } from "../../src/index.ts";
import type { ManagerOptions } from "../../src/index.ts";
import { crashModel, type CrashScript } from "./crash-model.ts";

const { options, ...script } = JSON.parse(await text(process.stdin)) as CrashScript & {
  options: Omit<ManagerOptions, "model">;
};
const manager = createManager({ ...options, model: crashModel(script) });
const mainId =
  options.session === undefined ? (await manager.main({ prompt: "go" })).id : await goOn();
process.stdout.write(`${JSON.stringify({ sessionId: manager.sessionId, mainId })}\n`);
await manager.output(mainId, { block: true });
await manager.close();

async function goOn(): Promise<string> {
  const { resumed } = await manager.resumeAll();
  const main = resumed.find(({ depth }) => depth === 0);
  if (main === undefined) throw new Error("The main agent was not interrupted.");
  return main.id;
}

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  createManager,
  createRehearsal,
  parseScenario,
  type Model,
  type ModelRequest,
} from "retinue";
import type { Workspace } from "./workspace.ts";

/**
 * Bytes of each first request (tools, system prompt, first message): of the main agent and of every built-in type that
 * the command line offers, in an empty directory outside any repository.
 */
export async function firstRequestBytes(workspace: Workspace): Promise<Record<string, number>> {
  const cwd = join(workspace.root, "empty");
  mkdirSync(cwd);
  const bytes: Record<string, number> = {};
  await using manager = createManager({
    model: recording(({ tools, system, messages, origin }) => {
      bytes[origin.agentType] ??= Buffer.byteLength(JSON.stringify({ tools, system, messages }));
    }),
    cwd,
    configDir: join(workspace.home, ".claude"),
    entrypoint: "cli",
  });
  const main = await manager.main({ prompt: task });
  await manager.output(main.id, { block: true });
  for (const { name, source } of await manager.agentTypes()) {
    if (source !== "built-in") continue;
    const agent = await manager.spawn({ prompt: task, subagent_type: name });
    await manager.output(agent.id, { block: true });
  }
  return bytes;
}

const task = "Where is the retry logic?";

function recording(record: (request: ModelRequest) => void): Model {
  const answers = createRehearsal(parseScenario("turns: [{ reply: ok, repeat: true }]", "bench"));
  return {
    provider: answers.provider,
    scripted: answers.scripted,
    stream(request, signal) {
      record(request);
      return answers.stream(request, signal);
    },
    // Makes the tool listed, as with a real provider.
    search() {
      throw new Error("nobody searches here");
    },
  };
}

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createManager, createRehearsal, parseScenario } from "../../src/index.ts";
import { temporaryDirectory, writeFiles } from "./temporary-directory.ts";
import { watchForLeaks } from "./leaks.ts";
import type { AgentEvent, Manager, ManagerOptions, Model, ModelRequest } from "../../src/index.ts";

export { temporaryDirectory, writeFiles };

export interface Stage {
  manager: Manager;
  cwd: string;
  configDir: string;
  /** Everything published so far, in order. */
  events: AgentEvent[];
  /** Every request that reached the model, in order. */
  requests: ModelRequest[];
}

/** A manager in a fresh directory, answering from a scenario, with every event and request on record. */
export function setStage(
  scenario: string,
  options: Partial<ManagerOptions> & {
    files?: Record<string, string>;
    /** Called with the working directory before there is a manager, which looks for a repository once. */
    prepare?: (cwd: string) => void;
  } = {},
): Stage {
  const { files, prepare, ...managerOptions } = options;
  const root = temporaryDirectory();
  const cwd = join(root, "work");
  const configDir = join(root, "config");
  mkdirSync(cwd);
  writeFiles(cwd, files ?? {});
  prepare?.(cwd);
  const requests: ModelRequest[] = [];
  // A model that the test brings may keep its connections: it is not the manager's.
  const expectNoLeaks = watchForLeaks({ exceptConnections: managerOptions.model !== undefined });
  const manager = createManager({
    model: recording(createRehearsal(parseScenario(scenario, "scenario.yaml")), requests),
    cwd,
    configDir,
    ...managerOptions,
  });
  const events: AgentEvent[] = [];
  const stream = manager.events();
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })();
  onTestFinished(async () => {
    await manager.close();
    await reading;
    await expectNoLeaks(manager);
  });
  return { manager, cwd, configDir, events, requests };
}

function recording(model: Model, requests: ModelRequest[]): Model {
  return {
    provider: model.provider,
    scripted: model.scripted,
    stream(request, signal) {
      requests.push(structuredClone(request));
      return model.stream(request, signal);
    },
  };
}

/** Event types of one agent, without pieces of text, in order. */
export function sequence(events: readonly AgentEvent[], agentId: string): string[] {
  return events
    .filter((event) => event.agentId === agentId && !/delta|progress/.test(event.type))
    .map((event) =>
      event.type.startsWith("tool-call") && "call" in event
        ? `${event.type} ${event.call.name}`
        : event.type,
    );
}

export function idsOfType(events: readonly AgentEvent[], type: string): string[] {
  return events.flatMap((event) =>
    event.type === "agent-start" && event.agent.type === type ? [event.agentId] : [],
  );
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import {
  createManager,
  createRehearsal,
  parseScenario,
  type Manager,
  type ManagerOptions,
} from "../../src/index.ts";
import { temporaryDirectory, writeFiles } from "./stage.ts";

export interface Crashing {
  cwd: string;
  configDir: string;
  sessionId: string;
  mainId: string;
  /** `kill -9`, and waits until it is gone. */
  kill(): Promise<void>;
  /** Opens the session again, here. */
  reopen(options?: Partial<ManagerOptions>): Manager;
}

/** A session in a process of its own, made to be killed. Its main agent has the prompt `go`. */
export async function startCrashing(
  scenario: string,
  options: Omit<Partial<ManagerOptions>, "model"> & { files?: Record<string, string> } = {},
): Promise<Crashing> {
  const { files, ...rest } = options;
  const root = temporaryDirectory();
  const [cwd, configDir] = [join(root, "work"), join(root, "config")];
  mkdirSync(cwd);
  writeFiles(cwd, files ?? {});
  const managerOptions = { cwd, configDir, ...rest };
  const program = fileURLToPath(new URL("crash-program.ts", import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end(JSON.stringify({ scenario, options: managerOptions }));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { sessionId, mainId } = JSON.parse(line.toString()) as Record<string, string>;
  return {
    cwd,
    configDir,
    sessionId: sessionId ?? "",
    mainId: mainId ?? "",
    async kill() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
    reopen(more = {}) {
      const model = createRehearsal(parseScenario(scenario, "scenario.yaml"));
      const manager = createManager({ ...managerOptions, model, session: sessionId, ...more });
      onTestFinished(() => manager.close());
      return manager;
    },
  };
}

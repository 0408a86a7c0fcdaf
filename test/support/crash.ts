import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { createManager, type Manager, type ManagerOptions } from "../../src/index.ts";
import { crashModel, type CrashScript } from "./crash-model.ts";
import { temporaryDirectory, writeFiles } from "./stage.ts";

export interface Crashing {
  cwd: string;
  configDir: string;
  sessionId: string;
  mainId: string;
  /** `kill -9`, and waits until it is gone. */
  kill(): Promise<void>;
  /** Goes on with what was interrupted, in another process that can be killed as well. */
  resume(): Promise<Crashing>;
  /** Opens the session again, here. */
  reopen(options?: Partial<ManagerOptions>): Manager;
}

/** A session in a process of its own, made to be killed. Its main agent has the prompt `go`. */
export async function startCrashing(
  scenario: string,
  options: Omit<Partial<ManagerOptions>, "model"> & {
    files?: Record<string, string>;
  } & Partial<Omit<CrashScript, "scenario">> = {},
): Promise<Crashing> {
  const { files, countsCalls = false, priced = false, ...rest } = options;
  const root = temporaryDirectory();
  const [cwd, configDir] = [join(root, "work"), join(root, "config")];
  mkdirSync(cwd);
  writeFiles(cwd, files ?? {});
  return startProgram({ scenario, countsCalls, priced }, { ...rest, cwd, configDir });
}

async function startProgram(
  script: CrashScript,
  managerOptions: Omit<ManagerOptions, "model"> & { cwd: string; configDir: string },
): Promise<Crashing> {
  const { cwd, configDir } = managerOptions;
  const program = fileURLToPath(new URL("crash-program.ts", import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "pipe"] });
  const gone = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end(JSON.stringify({ ...script, options: managerOptions }));
  const line = await firstLine(child);
  const { sessionId, mainId } = JSON.parse(line) as {
    sessionId: string;
    mainId: string;
  };
  return {
    cwd,
    configDir,
    sessionId,
    mainId,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
    resume: () => startProgram(script, { ...managerOptions, session: sessionId }),
    reopen(more = {}) {
      const model = crashModel(script);
      const manager = createManager({ ...managerOptions, model, session: sessionId, ...more });
      onTestFinished(() => manager.close());
      return manager;
    },
  };
}

/** What it says first. Rejects with its complaint when it ends before. */
async function firstLine(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
): Promise<string> {
  const complaint = text(child.stderr);
  const ended = once(child, "close").then(async (): Promise<never> => {
    throw new Error(await complaint);
  });
  ended.catch(() => undefined);
  const [line] = (await Promise.race([once(child.stdout, "data"), ended])) as [Buffer];
  return line.toString();
}

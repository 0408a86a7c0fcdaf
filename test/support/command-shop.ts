import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Ran } from "./started.ts";
import { temporaryDirectory } from "./stage.ts";
import { bin } from "./bin.ts";

export interface CommandShop {
  cwd: string;
  config: string;
  run: (args: string[], options?: { input?: string; env?: Record<string, string> }) => Promise<Ran>;
  start: (args: string[], env?: Record<string, string>) => ChildProcess;
}

/** An empty directory with a scenario in it, and the installed command. */
export function commandShop(scenario = "turns: [{ reply: hello, repeat: true }]"): CommandShop {
  const cwd = temporaryDirectory();
  const config = join(temporaryDirectory(), "config");
  writeFileSync(join(cwd, "s.yaml"), scenario);
  const start: CommandShop["start"] = (args, env = {}) =>
    spawn(process.execPath, [bin, ...args], {
      cwd,
      env: {
        ...process.env,
        NO_COLOR: "1",
        ANTHROPIC_API_KEY: "",
        ANTHROPIC_AUTH_TOKEN: "",
        CLAUDE_CONFIG_DIR: config,
        ...env,
      },
    });
  return {
    cwd,
    config,
    start,
    async run(args, options = {}) {
      const child = start(args, options.env);
      child.stdin?.end(options.input ?? "");
      const [stdout, stderr, code] = await Promise.all([
        readAll(child.stdout),
        readAll(child.stderr),
        exit(child),
      ]);
      return { stdout, stderr, code };
    },
  };
}

export function readAll(stream: Readable | null): Promise<string> {
  return stream === null ? Promise.resolve("") : text(stream);
}

export function exit(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once("exit", (code) => resolve(code)));
}

/** Of all sessions, also before the first one begins. */
export function transcriptsIn(config: string): string[] {
  try {
    return readdirSync(config, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(config, name));
  } catch {
    return [];
  }
}

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Lease } from "../../src/transcript/lease/lease.ts";
import { temporaryDirectory } from "./stage.ts";
import { startNode, type Ran, type Started } from "./started.ts";
import { bin } from "./bin.ts";

export interface Detached {
  id: string;
  sessionId: string;
  pid: number;
  transcript: string;
  log: string;
}

export interface Office {
  cwd: string;
  config: string;
  /** Where sockets are made. */
  runtime: string;
  start: (...args: string[]) => Started;
  retinue: (...args: string[]) => Promise<Ran>;
  json: <Value>(...args: string[]) => Promise<Value>;
  /** `run -d --json` with the scenario, ended with the test. */
  detach: (...args: string[]) => Promise<Detached>;
  /** Lets the agent of `untilGo` end its command. */
  go: () => void;
}

/** An agent whose command runs until the file `go` is there. */
export const untilGo =
  'turns: [{ turn: 1, reply: [{ call: Bash, input: { command: "echo $$ > shell; until [ -e go ]; do sleep 0.05; done" } }] }, { turn: 2, reply: went }]';

/** A directory with a scenario, and as many terminals as a test opens. */
export function office(scenario: string = untilGo, more: Record<string, string> = {}): Office {
  const root = temporaryDirectory();
  const [cwd, config, runtime] = [join(root, "work"), join(root, "config"), join(root, "run")];
  for (const directory of [cwd, runtime]) mkdirSync(directory, { mode: 0o700 });
  writeFileSync(join(cwd, "s.yaml"), scenario);
  const env = {
    ...process.env,
    NO_COLOR: "1",
    COLUMNS: "",
    ANTHROPIC_API_KEY: "",
    ANTHROPIC_AUTH_TOKEN: "",
    CLAUDE_CONFIG_DIR: config,
    XDG_RUNTIME_DIR: runtime,
    ...more,
  };
  const start = (...args: string[]): Started =>
    startNode([bin, ...args], { cwd, env, stdin: "pipe" });
  const retinue = (...args: string[]): Promise<Ran> => {
    const { child, ended } = start(...args);
    child.stdin?.end();
    return ended;
  };
  return {
    cwd,
    config,
    runtime,
    start,
    retinue,
    json: async <Value>(...args: string[]) => JSON.parse((await retinue(...args)).stdout) as Value,
    async detach(...args) {
      const run = ["run", "-d", "--json", "--rehearse", "s.yaml", ...args, "do it"];
      const ran = await retinue(...run);
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      const report = JSON.parse(ran.stdout) as Detached;
      onTestFinished(() => end(report.pid));
      return report;
    },
    go: () => writeFileSync(join(cwd, "go"), ""),
  };
}

/** The whole session of processes that a detached run opened. */
function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

export function leaseOf({ transcript, sessionId }: Detached): { path: string; lease: Lease } {
  const path = join(dirname(transcript), sessionId, "lease.json");
  return { path, lease: JSON.parse(readFileSync(path, "utf8")) as Lease };
}

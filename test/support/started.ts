import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** A command that has ended. */
export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Started {
  child: ChildProcess;
  ended: Promise<Ran>;
  /** What it has printed so far. */
  printed: () => Pick<Ran, "stdout" | "stderr">;
}

/** Starts Node with a program; it is gone after the test. */
export function startNode(
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; stdin: "ignore" | "pipe" },
): Started {
  const { cwd, env, stdin } = options;
  const child = spawn(process.execPath, args, { cwd, env, stdio: [stdin, "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => (stdout += String(chunk)));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += String(chunk)));
  const ended = once(child, "close").then(([code]) => ({
    code: code as number | null,
    stdout,
    stderr,
  }));
  return { child, ended, printed: () => ({ stdout, stderr }) };
}

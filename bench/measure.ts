import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

export interface Command {
  file: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
}

export interface Measurement {
  /** The time just before the process was started, by `performance.now()`. */
  startedAt: number;
  wallMs: number;
  cpuMs: number;
  /** Peak memory of the process itself, without its children. */
  peakMiB: number;
  /** The exit code, or the signal that ended it. */
  exit: number | string;
  stdout: string;
  stderr: string;
}

/**
 * Runs a program to its end and measures it from outside, with nothing loaded into it and nothing to install (Linux).
 *
 * CPU: the kernel adds the time of an ended child, with everything it waited for, to `cutime` and `cstime` of its parent;
 * the difference before and after is complete, in steps of 10 ms. So only one child may run at a time.
 * Memory: Node gives no rusage of a child, so `VmHWM` is polled; what grows in the last 10 ms is missed.
 */
export async function measure(command: Command): Promise<Measurement> {
  const cpuBefore = cpuOfEndedChildren();
  const startedAt = performance.now();
  const child = spawn(command.file, command.args, {
    cwd: command.cwd,
    env: command.env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: longestRun,
    killSignal: "SIGKILL",
  });
  const exited = once(child, "exit").then(([code, signal]) => {
    return { endedAt: performance.now(), exit: (code ?? signal) as number | string };
  });
  let peakMiB = 0;
  const polling = setInterval(() => (peakMiB = Math.max(peakMiB, peakOf(child.pid))), pollEvery);
  try {
    const [{ endedAt, exit }, stdout, stderr] = await Promise.all([
      exited,
      textOf(child.stdout),
      textOf(child.stderr),
    ]);
    const cpuMs = cpuOfEndedChildren() - cpuBefore;
    return { startedAt, wallMs: endedAt - startedAt, cpuMs, peakMiB, exit, stdout, stderr };
  } finally {
    clearInterval(polling);
  }
}

const longestRun = 120_000;
const pollEvery = 10;
/** A clock tick of /proc, which is 1/100 s for every program whatever the kernel's own rate. */
const tick = 10;

function cpuOfEndedChildren(): number {
  const stat = tryRead("/proc/self/stat");
  // The second field is a name that may hold blanks; the third one starts after its bracket.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * tick;
}

function peakOf(pid: number | undefined): number {
  const [, kibibytes = "0"] = /^VmHWM:\s+(\d+) kB$/m.exec(tryRead(`/proc/${pid}/status`)) ?? [];
  return Number(kibibytes) / 1024;
}

/** Reads a file; empty when the process is gone, or when there is no /proc. */
function tryRead(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  stream.setEncoding("utf8");
  for await (const piece of stream) text += String(piece);
  return text;
}

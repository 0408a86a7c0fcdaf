import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { errorMessage } from "../../contract/errors.ts";
import { startedEnvironment } from "../../platform/started-environment.ts";
import { ToolFailure } from "../tool.ts";

const timeLimitMs = 60_000;
const lineCap = 10_000;
const complaintCap = 2_000;

/**
 * Yields the lines of ripgrep's output one by one. A caller that has enough leaves the loop, and the process ends. No
 * match is no line. A complaint about the call (a bad pattern, an unknown type) is a `ToolFailure` in ripgrep's own
 * words; unreadable files are skipped.
 *
 * Options must be of the form `--name=value`, so that no text from the model is ever parsed as an option.
 */
export async function* ripgrep(search: {
  options: readonly string[];
  targets: readonly string[];
  /** Open files that the process inherits, from descriptor 3 on. */
  descriptors?: readonly number[];
  cwd: string;
  signal: AbortSignal;
  /** The end of a line; `--null` ends names with a NUL, because any other character may be part of them. */
  end?: "\n" | "\0";
}): AsyncGenerator<string> {
  const program = await executable();
  const timeUp = AbortSignal.timeout(timeLimitMs);
  const signal = AbortSignal.any([search.signal, timeUp]);
  signal.throwIfAborted();
  // The last glob wins, so that no glob of the caller brings .git back.
  const args = [...alwaysOptions, ...search.options, "--glob=!.git", "--", ...search.targets];
  const child = spawn(program, args, {
    cwd: search.cwd,
    env: startedEnvironment({ env: {}, passes: [] }),
    stdio: ["ignore", "pipe", "pipe", ...(search.descriptors ?? [])],
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const closed = once(child, "close").catch((error: unknown) => error);
  const kill = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, complaintCap);
  });
  try {
    yield* linesOf(child.stdout, search.end ?? "\n");
    const problem = await closed;
    search.signal.throwIfAborted();
    if (timeUp.aborted)
      throw new ToolFailure("The search took too long. Search a smaller directory.");
    if (problem instanceof Error) {
      throw new ToolFailure(`ripgrep could not be started: ${problem.message}. Reinstall Retinue.`);
    }
    if (complaint !== "") throw new ToolFailure(complaint.trim());
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
    await closed;
  }
}

const alwaysOptions = [
  "--no-config",
  "--no-messages",
  "--no-require-git",
  "--hidden",
  "--color=never",
];

async function executable(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (error) {
    throw new ToolFailure(`ripgrep is not installed: ${errorMessage(error)} Reinstall Retinue.`);
  }
}

async function* linesOf(stream: Readable, end: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8") as AsyncIterable<string>) {
    const lines = (rest + chunk).split(end);
    rest = (lines.pop() ?? "").slice(0, lineCap);
    yield* lines;
  }
  if (rest !== "") yield rest;
}

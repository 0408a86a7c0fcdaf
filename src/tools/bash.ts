import { mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { StartedProcess } from "../platform/process-tree.ts";
import { CommandOutput } from "./command-output.ts";
import { leafTool, ToolFailure, type LeafTool, type ToolContext } from "./tool.ts";
import type { Workbench } from "./workbench.ts";

const maximumTimeoutMs = 600_000;

export const bashTool: LeafTool = leafTool({
  name: "Bash",
  description:
    "Run a bash command without stdin. The working directory is kept for your next call, variables are not. Processes started with & live until you finish. Prefer Read, Edit, Glob and Grep to cat, sed, find and grep.",
  concurrency: "alone",
  repeatable: false,
  input: z.object({
    command: z.string().min(1),
    timeout: z.number().min(1).max(maximumTimeoutMs).default(120_000).describe("Milliseconds"),
    description: z.string().optional().describe("What it does, in 5-10 words"),
  }),
  async execute({ command, timeout }, context) {
    const { workbench, signal } = context;
    signal.throwIfAborted();
    const notes = [await enter(workbench)];
    const directory = await mkdtemp(join(tmpdir(), "retinue-bash-"));
    const output = new CommandOutput(context);
    try {
      const lastDirectory = join(directory, "cwd");
      const prelude = join(directory, "prelude");
      await writeFile(prelude, preludeThatReports(lastDirectory));
      const ending = await run({ command, timeout, prelude, output, context });
      if (ending.kind === "abort") throw signal.reason;
      notes.push(await leave(workbench, lastDirectory));
      const text = [verdict(ending), output.all.render(output.omission), ...notes];
      return {
        content:
          text.filter((part) => part !== undefined && part !== "").join("\n") || "(no output)",
        ...(verdict(ending) !== undefined && { isError: true }),
        data: output.data(ending.kind === "timeout"),
      };
    } finally {
      output.close();
      await rm(directory, { recursive: true, force: true });
    }
  },
});

type Ending =
  | { kind: "exit"; code: number }
  | { kind: "timeout"; afterMs: number }
  | { kind: "abort" };

function verdict(ending: Ending): string | undefined {
  if (ending.kind === "timeout") {
    return `Timed out after ${ending.afterMs} ms; its processes were killed. Give it a longer timeout (at most ${maximumTimeoutMs}) or less to do. Output so far:`;
  }
  return ending.kind === "exit" && ending.code !== 0 ? `Exit code ${ending.code}` : undefined;
}

async function run(call: {
  command: string;
  timeout: number;
  prelude: string;
  output: CommandOutput;
  context: ToolContext;
}): Promise<Ending> {
  const { workbench, signal } = call.context;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<Ending>();
  const timer = setTimeout(() => stop({ kind: "timeout", afterMs: call.timeout }), call.timeout);
  const abort = (): void => stop({ kind: "abort" });
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    const child = workbench.processes.start("bash", ["--noprofile", "--norc", "-c", call.command], {
      cwd: workbench.cwd,
      env: environment(call.prelude, workbench),
    });
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const detach = call.output.attach(child);
    const ending = await Promise.race([exitOf(child), stopped]);
    if (ending.kind !== "exit") await workbench.processes.kill(child);
    // What was written before the exit is read in this time; a background child may hold the pipe open for ever.
    await Promise.race([closed, pause(100).then(() => setImmediate())]);
    detach();
    return ending;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function exitOf(child: StartedProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => {
      resolve({ kind: "exit", code: code ?? 128 + constants.signals[signal ?? "SIGKILL"] });
    });
    child.once("error", (error) => {
      reject(
        new ToolFailure(
          `bash could not be started (${error.message}). Install it and put it on the PATH.`,
        ),
      );
    });
  });
}

/** Variables that change how bash reads a command, so that a permission decided on its text would not hold. */
const shellVariables =
  /^(?:ENV|SHELLOPTS|BASHOPTS|POSIXLY_CORRECT|PROMPT_COMMAND|PS4|CDPATH|GLOBIGNORE|BASH_.*)$/;

function environment(
  prelude: string,
  { cwd, env }: Pick<Workbench, "cwd" | "env">,
): NodeJS.ProcessEnv {
  const given = Object.entries({ ...process.env, ...env });
  const harmless = given.filter(([name]) => !shellVariables.test(name));
  return { ...Object.fromEntries(harmless), PWD: cwd, BASH_ENV: prelude };
}

/**
 * Bash reads this file before the command, which so stays exactly what the model wrote: its line numbers, syntax
 * errors, here-documents and exit code are those of plain bash. A command with an EXIT trap of its own replaces ours
 * and leaves the directory as it was.
 */
function preludeThatReports(file: string): string {
  return `unset BASH_ENV\ntrap ${quote(`{ builtin pwd -P >|${quote(file)}; } 2>/dev/null`)} EXIT\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

async function enter(workbench: Workbench): Promise<string | undefined> {
  if (await isDirectory(workbench.cwd)) return undefined;
  if (!(await isDirectory(workbench.root))) {
    throw new ToolFailure(
      `The working directory ${workbench.root} does not exist any more. Report this and stop.`,
    );
  }
  const missing = workbench.cwd;
  workbench.cwd = workbench.root;
  return `[${missing} does not exist any more; this ran in ${workbench.root}]`;
}

async function leave(workbench: Workbench, file: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const directory = text.replace(/\n$/, "");
  const inside = relative(await realpath(workbench.root).catch(() => workbench.root), directory);
  if (directory !== "" && !isAbsolute(inside) && !/^\.\.(?:\/|$)/.test(inside)) {
    workbench.cwd = join(workbench.root, inside);
    return undefined;
  }
  workbench.cwd = workbench.root;
  const reason =
    directory === ""
      ? "The shell's directory was deleted"
      : `${directory} is outside the working directory`;
  return `[${reason}; the next command runs in ${workbench.root}]`;
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

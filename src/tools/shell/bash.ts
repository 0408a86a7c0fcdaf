import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { SandboxedCommand } from "../../platform/sandbox/sandboxed-command.ts";
import { shellQuote } from "../../platform/shell-quote.ts";
import { temporaryName } from "../../platform/files/temporary-name.ts";
import { CommandOutput } from "./command-output.ts";
import { endsWithin } from "../../platform/ends-within.ts";
import { runInBackground } from "./run-in-background.ts";
import { isUnapproved, prepareSandbox } from "./prepare-sandbox.ts";
import { enter, leave } from "./shell-directory.ts";
import { startShell } from "./start-shell.ts";
import { leafTool, type LeafTool, type ToolContext } from "../tool.ts";

const maximumTimeoutMs = 600_000;

/** Creates the tool. `background`: commands may be left running beside the agent. */
function createBashTool({ background }: { background: boolean }): LeafTool {
  return leafTool({
    name: "Bash",
    description:
      "Run a bash command without stdin. The working directory is kept for your next call, variables are not. Processes started with & live until you finish. Prefer Read, Edit, Glob and Grep to cat, sed, find and grep.",
    effect: "command",
    background: true,
    audience: "all",
    mainField: "command",
    concurrency: "alone",
    repeatable: false,
    input: background ? fullInput : (foregroundInput as unknown as typeof fullInput),
    async execute({ command, timeout, description, run_in_background }, context) {
      if (run_in_background === true) return runInBackground({ command, description }, context);
      const { workbench, signal } = context;
      signal.throwIfAborted();
      await enter(workbench);
      const directory = await mkdtemp(join(tmpdir(), temporaryName("bash")));
      const output = new CommandOutput(context);
      try {
        const lastDirectory = join(directory, "cwd");
        const prelude = join(directory, "prelude");
        await writeFile(prelude, preludeThatReports(lastDirectory));
        const { ending, sandboxed } = await run({
          command,
          timeout,
          directory,
          prelude,
          output,
          context,
        });
        if (ending.kind === "abort") {
          context.leave?.(output.all.render(output.omission));
          throw signal.reason;
        }
        const notes = [
          await leave(workbench, lastDirectory),
          ...(sandboxed?.notes(codeOf(ending), () => output.all.render(() => "")) ?? []),
        ];
        const text = [verdict(ending), output.all.render(output.omission), ...notes];
        return {
          content:
            text.filter((part) => part !== undefined && part !== "").join("\n") || "(no output)",
          ...(verdict(ending) !== undefined && { isError: true }),
          data: output.data(ending.kind === "timeout"),
        };
      } finally {
        output.close();
        // A sandbox that was given up while it was prepared may still write there.
        await rm(directory, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  });
}

const foregroundInput = z.object({
  command: z.string().min(1),
  timeout: z.number().min(1).max(maximumTimeoutMs).default(120_000).describe("Milliseconds"),
  description: z.string().optional().describe("What it does, in 5-10 words"),
});

const fullInput = foregroundInput.extend({
  run_in_background: z.boolean().optional().describe("Return at once; no timeout"),
});

export const bashTool: LeafTool = createBashTool({ background: true });
export const foregroundBashTool: LeafTool = createBashTool({ background: false });

type CommandOutcome =
  | { kind: "exit"; code: number }
  | { kind: "timeout"; afterMs: number }
  | { kind: "abort" };

function codeOf(ending: CommandOutcome): number | undefined {
  return ending.kind === "exit" ? ending.code : undefined;
}

function verdict(ending: CommandOutcome): string | undefined {
  if (ending.kind === "timeout") {
    return `Timed out after ${ending.afterMs} ms; its processes were killed. Give it a longer timeout (at most ${maximumTimeoutMs}) or less to do. Output so far:`;
  }
  return ending.kind === "exit" && ending.code !== 0 ? `Exit code ${ending.code}` : undefined;
}

async function run(call: {
  command: string;
  timeout: number;
  directory: string;
  prelude: string;
  output: CommandOutput;
  context: ToolContext;
}): Promise<{ ending: CommandOutcome; sandboxed?: SandboxedCommand | undefined }> {
  const { command, directory, prelude, context } = call;
  const { workbench, signal } = context;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<CommandOutcome>();
  const preparing = new AbortController();
  const end = (ending: CommandOutcome): void => {
    stop(ending);
    preparing.abort();
  };
  const timer = setTimeout(() => end({ kind: "timeout", afterMs: call.timeout }), call.timeout);
  const abort = (): void => end({ kind: "abort" });
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    const prepared = prepareSandbox({ command, directory, prelude }, context, preparing.signal);
    const early = await Promise.race([prepared.then(() => undefined), stopped]);
    if (early !== undefined) {
      // Nothing was started yet, so anything still to come is only released.
      prepared.then((late) => late?.ended()).catch(() => undefined);
      return { ending: early };
    }
    const sandboxed = await prepared;
    const { child, exit } = startShell({
      command,
      prelude,
      workbench,
      sandboxed,
      unapproved: isUnapproved(call.context),
    });
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const detach = call.output.attach(child);
    const ended = exit.then((code): CommandOutcome => ({ kind: "exit", code }));
    const ending = await Promise.race([ended, stopped]);
    if (ending.kind !== "exit") await workbench.processes.kill(child);
    // Output from before the exit is read in this time; a background child may keep the pipe open for ever.
    if (!(await endsWithin(closed, 100))) await setImmediate();
    detach();
    return { ending, sandboxed };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/**
 * A prelude that reports the shell's directory. Bash reads this file before the command, so the command stays exactly
 * as the model wrote it: its line numbers, syntax errors, here-documents and exit code are those of plain bash. A
 * command with its own EXIT trap replaces ours, and the directory stays as before.
 */
function preludeThatReports(file: string): string {
  return `unset BASH_ENV\ntrap ${shellQuote(`{ builtin pwd -P >|${shellQuote(file)}; } 2>/dev/null`)} EXIT\n`;
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { abortable } from "../../platform/abortable.ts";
import { temporaryName } from "../../platform/files/temporary-name.ts";
import type { SandboxedCommand } from "../../platform/sandbox/sandboxed-command.ts";
import { isUnapproved, prepareSandbox } from "./prepare-sandbox.ts";
import { enter } from "./shell-directory.ts";
import type { ShellTask } from "./shell-task.ts";
import { startShell } from "./start-shell.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import { wholeWords } from "./whole-words.ts";

/** Starts a command and returns at once. It has no timeout: it runs until it ends, is stopped, or its agent ends. */
export async function runInBackground(
  call: { command: string; description: string | undefined },
  context: ToolContext,
): Promise<ToolOutput> {
  context.signal.throwIfAborted();
  await enter(context.workbench);
  const directory = await mkdtemp(join(tmpdir(), temporaryName("bash")));
  try {
    const starting = start({ ...call, directory }, context);
    context.hold?.keepUntil(starting.then(({ ended }) => ended));
    const task = await starting;
    return {
      content: launched(task, context).join("\n"),
      data: {
        stdout: "",
        stderr: "",
        interrupted: false,
        isImage: false,
        backgroundTaskId: task.id,
        outputFile: task.outputFile,
      },
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

async function start(
  call: { command: string; description: string | undefined; directory: string },
  context: ToolContext,
): Promise<ShellTask> {
  const { workbench, callId } = context;
  const { command, directory } = call;
  const prelude = join(directory, "prelude");
  await writeFile(prelude, "unset BASH_ENV\n");
  const sandboxed = await prepare({ command, directory, prelude }, context);
  return workbench.shells.add({
    shell: startShell({
      command,
      prelude,
      workbench,
      sandboxed,
      unapproved: isUnapproved(context),
    }),
    callId,
    description: oneLine(call.description ?? command),
    directory,
    notes: (code, printed) => sandboxed?.notes(code, () => printed) ?? [],
  });
}

/** Prepares the sandbox. That may take time, and an agent that ends does not wait for it. */
async function prepare(
  call: { command: string; directory: string; prelude: string },
  context: ToolContext,
): Promise<SandboxedCommand | undefined> {
  const { signal } = context;
  const prepared = prepareSandbox(call, context, signal);
  try {
    const sandboxed = await abortable(prepared, signal);
    signal.throwIfAborted();
    return sandboxed;
  } catch (error) {
    prepared.then((late) => late?.ended()).catch(() => undefined);
    throw error;
  }
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= longestDescription) return line;
  return `${wholeWords(line.slice(0, longestDescription), "end").toWellFormed()}…`;
}

const longestDescription = 200;

function launched(task: ShellTask, context: ToolContext): string[] {
  const waits = context.hasTool?.("TaskOutput") === true ? " TaskOutput waits for its end." : "";
  const stops = context.hasTool?.("TaskStop") === true ? "TaskStop ends it; it" : "It";
  const where =
    task.outputFile === null
      ? `Its output cannot be saved (${task.problem}).`
      : `Its output goes to ${task.outputFile}: Read it at any time.`;
  return [
    `Running in the background as ${task.id}. ${where}${waits}`,
    `You are notified when it has ended. ${stops} also ends when you finish.`,
  ];
}

import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { errorMessage, RetinueError } from "../../contract/errors.ts";
import { personsPath } from "../../platform/own-programs.ts";
import { openInPrivateDirectory } from "../../platform/files/make-directory.ts";
import type { PermissionMode } from "../../contract/resolved-agent.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { unwritable } from "../../transcript/unwritable.ts";
import type { FailureReport, StartReport } from "./detached-run.ts";
import { exitCodes } from "../exit-codes.ts";
import { plain } from "../terminal/sanitize.ts";

/**
 * `retinue run -d`: runs the same command again, in a process and terminal session of its own, so that no closing
 * terminal ends it. Returns when its main agent is under way; if it fails before, its output is printed here, with its
 * exit code.
 */
export async function detach(
  command: "run" | "resume",
  words: readonly string[],
  options: { json?: boolean; quiet?: boolean; permissionMode?: PermissionMode | "manual" },
): Promise<void> {
  const log = join(defaultConfigDir(), "retinue", `run-${randomUUID()}.log`);
  const child = await started(log, () =>
    start(command, log, command === "run" && readsStdin(words)),
  );
  const stop = (): void => void child.kill("SIGTERM");
  process.once("SIGINT", stop);
  const report = await firstReport(child);
  process.off("SIGINT", stop);
  if (report === undefined || "error" in report) return fail(child, log, report?.error);
  child.unref();
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return;
  }
  process.stdout.write(`${report.id}\n`);
  if (options.quiet !== true)
    process.stderr.write(nextSteps(report, options.permissionMode !== "dontAsk"));
}

/** Whether stdin holds the prompt, as in a run that stays: a last word '-', or no words and a pipe. */
function readsStdin(words: readonly string[]): boolean {
  return words.at(-1) === "-" || (words.length === 0 && !process.stdin.isTTY);
}

function start(command: "run" | "resume", log: string, readsStdin: boolean): ChildProcess {
  const [script = "", ...given] = process.argv.slice(1);
  const args = given[0] === command ? given.slice(1) : given;
  const output = openLog(log);
  try {
    const words = [...process.execArgv, script, command, "--detached-log", log, ...args];
    return spawn(process.execPath, words, {
      detached: true,
      env: { ...process.env, PATH: personsPath() },
      // Its output goes to the log; the last descriptor carries its report.
      stdio: [readsStdin ? "inherit" : "ignore", output, output, "pipe"],
    });
  } finally {
    closeSync(output);
  }
}

/** Resolves when there is a process. Otherwise removes every trace of the attempt. */
async function started(log: string, start: () => ChildProcess): Promise<ChildProcess> {
  try {
    const child = start();
    await once(child, "spawn");
    // A signal that cannot be delivered to it must not end this process.
    return child.on("error", () => undefined);
  } catch (error) {
    if (error instanceof RetinueError) throw error;
    rmSync(log, { force: true });
    throw new RetinueError(
      "storage",
      `No process can be started for it: ${errorMessage(error)}. End some others, or run it here, without -d.`,
      { cause: error },
    );
  }
}

function openLog(log: string): number {
  try {
    return openInPrivateDirectory(log, "ax");
  } catch (error) {
    throw unwritable(`The log ${log}`, error);
  }
}

/** The first report; nothing when the process ends before it. A failure is returned once the process has ended. */
async function firstReport(child: ChildProcess): Promise<StartReport | FailureReport | undefined> {
  const pipe = child.stdio[3] as Readable;
  let text = "";
  const line = (async () => {
    for await (const chunk of pipe) {
      text += String(chunk);
      if (text.includes("\n")) return JSON.parse(text) as StartReport | FailureReport;
    }
    return undefined;
  })();
  const report = await line;
  const hasStarted = report !== undefined && "id" in report;
  if (!hasStarted && child.exitCode === null && child.signalCode === null)
    await once(child, "exit");
  return report;
}

/** Prints the log of the child and the reason of its failure, which a log on a full disk lacks. */
function fail(child: ChildProcess, log: string, error: string | undefined): void {
  const printed = plain(readFileSync(log, "utf8"));
  rmSync(log, { force: true });
  process.stderr.write(printed);
  const reason = error === undefined ? undefined : plain(error);
  if (reason !== undefined && !printed.includes(reason))
    process.stderr.write(`retinue: ${reason}\n`);
  else if (printed === "")
    process.stderr.write(
      `retinue: the detached process ended at its start (${child.signalCode ?? child.exitCode}) without an error message. Run it without -d to see the cause.\n`,
    );
  process.exitCode = child.exitCode || exitCodes.failed;
}

function nextSteps({ id, pid, log }: StartReport, mayAsk: boolean): string {
  const commands = [
    [`attach ${id}`, "watch it live; Ctrl+C leaves it running"],
    [`logs -f ${id}`, "read its transcript as it grows"],
    [`send ${id} "…"`, "send it a message"],
    ...(mayAsk
      ? [["approvals", "list its questions; 'retinue approve' and 'deny' answer them"]]
      : []),
    [`wait ${id}`, "wait for its end"],
    [`stop ${id}`, "end it"],
  ] as const;
  const width = Math.max(...commands.map(([command]) => command.length)) + 2;
  const lines = commands.map(([command, what]) => `  retinue ${command.padEnd(width)}${what}\n`);
  return `retinue: runs in process ${pid}, without this terminal. Its output goes to ${plain(log)}\n${lines.join("")}`;
}

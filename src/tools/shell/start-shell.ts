import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { StartedProcess } from "../../processes/process-tree.ts";
import type { SandboxedCommand } from "../../platform/sandbox/sandboxed-command.ts";
import { gitThatLooks } from "../../platform/sandbox/git-paths.ts";
import { programOn, safePath } from "../../platform/files/safe-path.ts";
import { startedEnvironment } from "../../platform/started-environment.ts";
import { withoutSecrets } from "../../redact/environment-secrets.ts";
import { systemCode } from "../../contract/errors.ts";
import { quietRipgrep } from "../../platform/quiet-ripgrep.ts";
import { ToolFailure } from "../tool.ts";
import type { Workbench } from "../workbench.ts";

export interface RunningShell {
  readonly child: StartedProcess;
  /** The exit code of the command. Rejects with a `ToolFailure` when bash could not be started. */
  readonly exit: Promise<number>;
}

/** Starts bash with a command, in the sandbox or without one: the caller sees no difference. */
export function startShell(call: {
  command: string;
  /** File that bash reads first. */
  prelude: string;
  workbench: Workbench;
  sandboxed: SandboxedCommand | undefined;
  /** Whether the command needed no approval: git in it then obeys as little of the configuration as possible. */
  unapproved: boolean;
}): RunningShell {
  const { workbench, sandboxed } = call;
  const { cwd } = workbench;
  const given = environmentOf(workbench, call.unapproved);
  const path = safeCommandPath(workbench);
  const quietly = sandboxed === undefined ? { RIPGREP_CONFIG_PATH: quietRipgrep } : {};
  const env = call.unapproved
    ? { ...given, ...gitThatLooks(given), GIT_EXTERNAL_DIFF: undefined, ...quietly }
    : given;
  if (sandboxed === undefined) {
    const args = ["--noprofile", "--norc", "-c", call.command];
    const bash = programOn(path, "bash");
    const child = workbench.processes.start(bash, args, {
      argv0: "bash",
      cwd,
      env: { ...env, BASH_ENV: call.prelude },
    });
    return { child, exit: exitOf(child) };
  }
  let child: StartedProcess;
  try {
    const { file, args } = sandboxed;
    child = workbench.processes.start(file, args, {
      cwd,
      // Programs that set the sandbox up; it gives the command its own PATH.
      env: { ...env, PATH: path },
      reports: true,
    });
  } catch (error) {
    sandboxed.ended();
    throw error;
  }
  child.once("exit", sandboxed.ended);
  child.once("error", sandboxed.ended);
  // The sandbox stays while background processes run.
  return { child, exit: Promise.race([reportOf(child), exitOf(child)]) };
}

function exitOf(child: StartedProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => {
      resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]);
    });
    child.once("error", (error) => {
      const remedy =
        systemCode(error) === "ENOENT"
          ? "Install it and put it on the PATH."
          : "Try again when less is running.";
      reject(new ToolFailure(`bash could not be started (${error.message}). ${remedy}`));
    });
  });
}

/** Resolves with the reported exit code; without a report it never settles, and the exit of the process counts. */
function reportOf(child: StartedProcess): Promise<number> {
  return new Promise((resolve) => {
    const report = child.stdio[3] as Readable | null | undefined;
    report?.once("data", (text: Buffer) => {
      resolve(Number(text.toString("latin1")));
      report.destroy();
      // Background processes keep nothing waiting.
      child.unref();
    });
  });
}

/** Variables that change how bash parses a command, so that a permission for its text would not be valid. */
const shellVariables =
  /^(?:ENV|SHELLOPTS|BASHOPTS|POSIXLY_CORRECT|PROMPT_COMMAND|PS4|CDPATH|GLOBIGNORE|BASH_.*)$/;

/** The PATH of a command that needed no approval, and of the shell that starts any command. */
function safeCommandPath(workbench: Workbench): string {
  const { root, cwd, directories } = workbench;
  return safePath(environment(workbench)["PATH"], [root, cwd, ...directories]);
}

/** The environment of a command. One that nobody approved gets no secrets, and a PATH that no folder has a say in. */
export function environmentOf(workbench: Workbench, unapproved: boolean): NodeJS.ProcessEnv {
  const given = environment(workbench);
  return unapproved ? { ...withoutSecrets(given), PATH: safeCommandPath(workbench) } : given;
}

function environment(workbench: Pick<Workbench, "cwd" | "env" | "passes">): NodeJS.ProcessEnv {
  const given = Object.entries(startedEnvironment(workbench));
  const harmless = given.filter(([name]) => !shellVariables.test(name));
  return { ...Object.fromEntries(harmless), PWD: workbench.cwd };
}

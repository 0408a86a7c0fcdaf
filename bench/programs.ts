import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "./measure.ts";
import type { Workload } from "./script.ts";
import type { Workspace } from "./workspace.ts";

export interface Task {
  url: string;
  prompt: string;
  workload: Workload;
  workspace: Workspace;
}

/** A program that takes a prompt and a model's address. */
export interface Program {
  name: string;
  command(task: Task): Command;
}

/** The floor program. `entry`: its compiled file. */
export function floorProgram(entry: string): Program {
  return {
    name: "floor",
    command: ({ url, prompt, workspace }) => ({
      file: process.execPath,
      args: [entry, url, prompt],
      ...surroundings(workspace),
    }),
  };
}

export function retinueProgram(): Program {
  const [file, ...before] = retinueCommand(process.env);
  return {
    name: "retinue",
    command: ({ url, prompt, workload, workspace }) => {
      const { cwd, env } = surroundings(workspace);
      const options = ["--permission-mode", "bypassPermissions", "--output-format", "json"];
      return {
        file,
        args: [...before, "-p", prompt, ...options],
        cwd,
        env: {
          ...env,
          ANTHROPIC_BASE_URL: url,
          ANTHROPIC_API_KEY: "bench",
          CLAUDE_CONFIG_DIR: `${workspace.home}/.claude`,
          // Permission to bypass permissions as root, which containers run as.
          IS_SANDBOX: "1",
          // As many at once as the floor, unless the queue at the default limit is measured.
          ...(workload === "S3q" ? {} : { CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: "50" }),
        },
      };
    },
  };
}

/** `retinue --version`, and the minimum of Node itself. */
export function versionCommands(workspace: Workspace): { floor: Command; retinue: Command } {
  const [file, ...before] = retinueCommand(process.env);
  const around = surroundings(workspace);
  return {
    floor: { file: process.execPath, args: ["-e", "0"], ...around },
    retinue: { file, args: [...before, "--version"], ...around },
  };
}

/** `retinue output`, with the agents below a directory of its own. */
export function outputCommand(workspace: Workspace, configDir: string, id: string): Command {
  const [file, ...before] = retinueCommand(process.env);
  const { cwd, env } = surroundings(workspace);
  return {
    file,
    args: [...before, "output", id],
    cwd,
    env: { ...env, CLAUDE_CONFIG_DIR: configDir },
  };
}

/**
 * The command of Retinue. `RETINUE_CMD`: a command, split at blanks. `RETINUE_BIN`: an entry file for this Node. Else
 * the built package here.
 */
function retinueCommand(env: NodeJS.ProcessEnv): [string, ...string[]] {
  const [file, ...args] = env["RETINUE_CMD"]?.trim().split(/\s+/) ?? [];
  if (file !== undefined && file !== "") return [file, ...args];
  const built = fileURLToPath(new URL("../bin/retinue.js", import.meta.url));
  return [process.execPath, resolve(env["RETINUE_BIN"] ?? built)];
}

function surroundings({ repository, home, root }: Workspace): Pick<Command, "cwd" | "env"> {
  return {
    cwd: repository,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: root, TERM: "dumb", NO_COLOR: "1" },
  };
}

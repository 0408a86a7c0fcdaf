import { execFile } from "node:child_process";
import { isAbsolute } from "node:path";
import { promisify } from "node:util";
import { errorMessage, RetinueError } from "../../contract/errors.ts";
import { findCredentials } from "../../model/anthropic/credentials.ts";
import { programOn, safePath } from "../../platform/files/safe-path.ts";
import type { DoctorCheck, DoctorFinding, DoctorContext } from "./check.ts";

/** Checks of the prerequisites of every run. */
export const installationChecks: readonly DoctorCheck[] = [
  {
    name: "node",
    look: () => Promise.resolve([nodeVersion(process.versions.node)]),
  },
  {
    name: "bash",
    look: async (ground) => [
      await program("bash", ground, {
        status: "problem",
        remedy: "Install bash: the tool Bash, and with it most agents, needs it.",
      }),
    ],
  },
  {
    name: "git",
    look: async (ground) => [
      await program("git", ground, {
        status: "warning",
        remedy: "Install git: agents read the state of a repository with it.",
      }),
    ],
  },
  {
    name: "ripgrep",
    look: async (ground) => {
      const remedy = "Reinstall Retinue, also with optional packages: Grep and Glob need it.";
      try {
        const { rgPath } = await import("@vscode/ripgrep");
        return [await program(rgPath, ground, { status: "problem", remedy })];
      } catch (error) {
        return [{ status: "problem", what: `not installed: ${errorMessage(error)}`, remedy }];
      }
    },
  },
  {
    name: "model",
    look: ({ env }) => Promise.resolve([modelKey(env)]),
  },
];

/** The same as in `bin/retinue.js`, which imports nothing. */
const oldestNode = 24;

export function nodeVersion(version: string): DoctorFinding {
  const what = `Node ${version}`;
  if (Number.parseInt(version, 10) >= oldestNode) return { status: "ok", what };
  return { status: "problem", what, remedy: `Install Node ${oldestNode} or newer.` };
}

async function program(
  file: string,
  { env, cwd }: DoctorContext,
  otherwise: { status: "warning" | "problem"; remedy: string },
): Promise<DoctorFinding> {
  try {
    const run = promisify(execFile);
    const path = safePath(env["PATH"], [cwd]);
    const started = isAbsolute(file) ? file : programOn(path, file);
    const { stdout } = await run(started, ["--version"], {
      env: { ...env, PATH: path },
      timeout: 10_000,
    });
    return { status: "ok", what: stdout.split("\n")[0] ?? "" };
  } catch (error) {
    return { ...otherwise, what: `${file} cannot be run: ${errorMessage(error)}` };
  }
}

/** Reports where the key was found, never the key. */
function modelKey(env: NodeJS.ProcessEnv): DoctorFinding {
  try {
    return { status: "ok", what: `credentials from ${findCredentials({}, env).place}` };
  } catch (error) {
    if (!(error instanceof RetinueError)) throw error;
    const [what = "", ...remedy] = error.message.split(/(?<=\.) /);
    return {
      status: "warning",
      what,
      remedy: `${remedy.join(" ")} Without a key: --rehearse FILE, or 'retinue demo'.`.trim(),
    };
  }
}

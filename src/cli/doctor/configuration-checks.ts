import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { readConfiguration } from "../../session/configuration.ts";
import { errorMessage } from "../../contract/errors.ts";
import { bySeverity, diagnosticLine } from "../report-diagnostics.ts";
import type { DoctorCheck, DoctorFinding } from "./check.ts";

/** Checks of the files that Retinue reads and writes for its user. */
export const configurationChecks: readonly DoctorCheck[] = [
  {
    name: "config directory",
    look: ({ configDir }) => Promise.resolve([access(configDir), ...privacy(configDir)]),
  },
  {
    name: "settings",
    look: ({ configDir, cwd }) => {
      const configuration = readConfiguration({ cwd, configDir });
      configuration.loader[Symbol.dispose]();
      const { diagnostics } = configuration;
      const found = bySeverity(diagnostics)
        .filter(({ severity }) => severity !== "info")
        .map((one): DoctorFinding => ({
          status: one.severity === "error" ? "problem" : "warning",
          what: diagnosticLine(one),
          remedy: "Correct the file; 'retinue lint' lists all its problems.",
        }));
      return Promise.resolve(found.length > 0 ? found : [{ status: "ok", what: "no problems" }]);
    },
  },
];

function access(configDir: string): DoctorFinding {
  const info = statSync(configDir, { throwIfNoEntry: false });
  if (info === undefined) {
    return { status: "ok", what: `${configDir} does not exist yet; the first run creates it` };
  }
  const remedy = "Make it writable for you, or set CLAUDE_CONFIG_DIR to a directory that is.";
  if (!info.isDirectory()) return { status: "problem", what: `${configDir} is a file`, remedy };
  try {
    accessSync(configDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return { status: "ok", what: configDir };
  } catch (error) {
    return { status: "problem", what: errorMessage(error), remedy };
  }
}

/** Reports transcripts that other users can read: every directory on the way lets them. */
function privacy(configDir: string): DoctorFinding[] {
  const modes = [configDir, join(configDir, "projects")].map((directory) => ({
    directory,
    mode: statSync(directory, { throwIfNoEntry: false })?.mode ?? 0,
  }));
  if (!modes.every(({ mode }) => (mode & 0o077) !== 0)) return [];
  const { directory } = modes[1] ?? { directory: configDir };
  const what = `other users of this machine can read ${directory}`;
  return [{ status: "warning", what, remedy: `chmod 700 '${directory}'` }];
}

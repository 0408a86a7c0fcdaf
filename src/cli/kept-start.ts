import { closeSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RetinueError } from "../errors.ts";
import { isObject } from "../platform/is-object.ts";
import { openInPrivateDirectory } from "../platform/make-directory.ts";
import { writeWhole } from "../platform/write-whole.ts";
import type { RunOptions } from "./run-session.ts";

/** What a resumed run needs of how it was started. The right to everything is not among it: that is given anew each time. */
const keptOptions = [
  "allowedTools",
  "permissionMode",
  "inbox",
  "askTimeout",
  "agents",
  "settings",
  "pluginDir",
  "addDir",
  "lenient",
  "disallowedTools",
] as const satisfies (keyof RunOptions)[];

type Kept = Pick<RunOptions, (typeof keptOptions)[number] | "rehearse">;

const fileName = "started.json";

/** Puts beside the transcripts how a run was started, so that `retinue resume` can do the same. Secrets are not written down. */
export function keepStart(sessionDir: string, options: RunOptions): void {
  const kept = Object.fromEntries(
    keptOptions.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
  const { rehearse, settings, pluginDir = [], addDir = [] } = options;
  // Whoever resumes it may stand elsewhere.
  const paths = {
    ...(rehearse ? { rehearse: resolve(rehearse) } : {}),
    ...(settings === undefined || settings.trimStart().startsWith("{")
      ? {}
      : { settings: resolve(settings) }),
    pluginDir: pluginDir.map((path) => resolve(path)),
    addDir: addDir.map((path) => resolve(path)),
  };
  const secrets = (options.redact ?? []).length;
  const file = openInPrivateDirectory(join(sessionDir, fileName), "w");
  try {
    writeWhole(file, `${JSON.stringify({ ...kept, ...paths, secrets })}\n`, 0);
  } finally {
    closeSync(file);
  }
}

/** The options of a run that is resumed: what is given now, else what was given at its start. */
export function likeAtStart(sessionDir: string, now: RunOptions): RunOptions {
  const { secrets, ...kept } = read(join(sessionDir, fileName));
  if (typeof secrets === "number" && secrets > 0 && (now.redact ?? []).length === 0) {
    throw new RetinueError(
      "invalid_request",
      "This run was started with --redact. Its texts were not written down: give them again.",
    );
  }
  const given = Object.fromEntries(
    Object.entries(now).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
  return { allowedTools: [], ...kept, ...given } as unknown as RunOptions;
}

/** Nothing where another program ran the session. */
function read(path: string): Partial<Kept> & { secrets?: unknown } {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

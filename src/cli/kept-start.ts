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

/**
 * Puts beside the transcripts how a run was started, so that `retinue resume` can do the same. An option that holds a secret is
 * not written down: whoever resumes the run gives it again.
 */
export function keepStart(
  sessionDir: string,
  options: RunOptions,
  redact: (text: string) => string,
): void {
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
  const all = Object.entries({ ...kept, ...paths });
  const isSecret = ([, value]: [string, unknown]): boolean => {
    const text = JSON.stringify(value);
    return redact(text) !== text;
  };
  const secret = [
    ...all.filter(isSecret).map(([name]) => name),
    ...((options.redact ?? []).length > 0 ? ["redact"] : []),
  ];
  const open = Object.fromEntries(all.filter((entry) => !isSecret(entry)));
  const file = openInPrivateDirectory(join(sessionDir, fileName), "w");
  try {
    writeWhole(file, `${JSON.stringify({ ...open, secret })}\n`, 0);
  } finally {
    closeSync(file);
  }
}

/** The options of a run that is resumed: what is given now, else what was given at its start. */
export function likeAtStart(sessionDir: string, now: RunOptions): RunOptions {
  const { secret = [], ...kept } = read(join(sessionDir, fileName));
  const given = Object.fromEntries(
    Object.entries(now).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
  const missing = secret.find((name) => !(name in given));
  if (missing !== undefined) {
    throw new RetinueError(
      "invalid_request",
      `This run was started with --${missing}, which holds secrets and was not written down. Give it again.`,
    );
  }
  return { allowedTools: [], ...kept, ...given } as unknown as RunOptions;
}

/** Nothing where another program ran the session. */
function read(path: string): Partial<Kept> & { secret?: string[] } {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

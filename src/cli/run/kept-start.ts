import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { RetinueError } from "../../contract/errors.ts";
import { once } from "../../platform/once.ts";
import { readSmallFile } from "../../platform/files/read-small-file.ts";
import { replaceWhole } from "../../platform/files/replace-whole.ts";
import { permissionModes } from "../../contract/resolved-agent.ts";
import { unwritable } from "../../transcript/unwritable.ts";
import type { RunOptions } from "./run-session.ts";

/** Start options that a resumed run needs. */
const keptOptions: ReadonlySet<string> = new Set([
  "rehearse",
  "allowedTools",
  "disallowedTools",
  "permissionMode",
  "childPermissionMode",
  "inbox",
  "askTimeout",
  "agents",
  "settings",
  "pluginDir",
  "addDir",
  "lenient",
] satisfies (keyof RunOptions)[]);

/** The schema of a stored start; other fields in the file are ignored. Made when one is read. */
const keptSchema = once(() => {
  const texts = z.array(z.string());
  return z.object({
    rehearse: z.string().exactOptional(),
    allowedTools: texts.exactOptional(),
    disallowedTools: texts.exactOptional(),
    permissionMode: z.enum([...permissionModes, "manual"]).exactOptional(),
    childPermissionMode: z.enum(permissionModes).exactOptional(),
    inbox: z.boolean().exactOptional(),
    askTimeout: z.number().exactOptional(),
    agents: z.string().exactOptional(),
    settings: z.string().exactOptional(),
    pluginDir: texts.exactOptional(),
    addDir: texts.exactOptional(),
    lenient: z.boolean().exactOptional(),
    /** Options that hold secrets, and so were not stored. */
    secret: texts.default([]),
  });
});

const fileName = "started.json";
const largest = 4 * 1024 * 1024;

/**
 * Stores how a run was started beside its transcripts, so that `retinue resume` can do the same. An option that holds a
 * secret is not stored, nor is the right to everything: the user gives them again when resuming. Throws `storage`.
 */
export function keepStart(
  sessionDir: string,
  options: RunOptions,
  redact: (text: string) => string,
): void {
  const all = Object.entries(defined(withWholePaths(options))).filter(
    ([name, value]) => keptOptions.has(name) && value !== "bypassPermissions",
  );
  const isSecret = ([, value]: [string, unknown]): boolean => {
    const text = JSON.stringify(value);
    return redact(text) !== text;
  };
  const secret = [
    ...all.filter(isSecret).map(([name]) => name),
    ...((options.redact ?? []).length > 0 ? ["redact"] : []),
  ];
  const open = Object.fromEntries(all.filter((entry) => !isSecret(entry)));
  const path = join(sessionDir, fileName);
  try {
    replaceWhole(path, `${JSON.stringify({ ...open, secret })}\n`);
  } catch (error) {
    throw unwritable(`The session ${sessionDir}`, error);
  }
}

/**
 * Removes the stored start of a run that failed to start. If an agent was stored all the same, the file stays: a resume
 * needs it.
 */
export function forgetStart(sessionDir: string): void {
  if (!existsSync(join(sessionDir, "main.meta.json")))
    rmSync(join(sessionDir, fileName), { force: true });
}

/** The options of a run that is resumed: what is given now, else what was given at its start. */
export function likeAtStart(sessionDir: string, now: RunOptions): RunOptions {
  const { secret, ...kept } = read(join(sessionDir, fileName));
  const given = defined(now);
  const missing = secret.find((name) => !(name in given));
  if (missing !== undefined) {
    throw new RetinueError(
      "invalid_request",
      `This run was started with --${missing}, which contains secrets and was not stored. Give it again.`,
    );
  }
  return { allowedTools: [], ...kept, ...given } as unknown as RunOptions;
}

/** Paths made absolute from here: a resume, or the run itself, may have another working directory. */
export function withWholePaths<Options extends RunOptions>(options: Options): Options {
  const { rehearse, settings, pluginDir, addDir } = options;
  const isFile = settings !== undefined && !settings.trimStart().startsWith("{");
  return {
    ...options,
    ...(rehearse ? { rehearse: resolve(rehearse) } : {}),
    ...(isFile ? { settings: resolve(settings) } : {}),
    ...(pluginDir === undefined ? {} : { pluginDir: pluginDir.map((path) => resolve(path)) }),
    ...(addDir === undefined ? {} : { addDir: addDir.map((path) => resolve(path)) }),
  };
}

/** Only the options that were given. */
function defined(options: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

/**
 * Reads a stored start; nothing where another program ran the session. Throws for an unreadable file rather than drop
 * what it forbade.
 */
function read(path: string): z.infer<ReturnType<typeof keptSchema>> {
  const file = readSmallFile(path, largest);
  if (file.kind === "missing") return { secret: [] };
  try {
    return keptSchema().parse(JSON.parse(file.kind === "text" ? file.text : ""));
  } catch (error) {
    throw new RetinueError(
      "storage",
      `The start options of the run in ${path} cannot be read. Remove the file, and give the options again.`,
      { cause: error },
    );
  }
}

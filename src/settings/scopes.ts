import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemCode } from "../contract/errors.ts";
import { realPath } from "../platform/files/real-path.ts";
import { projectFolder } from "./project-folder.ts";

/** The scopes of settings, highest first. Below them all are the defaults of the schema. */
export const scopes = ["managed", "command-line", "local", "project", "user"] as const;

export type Scope = (typeof scopes)[number];

/** Compares two by scope, the higher one first. */
export function byScope(a: { scope: Scope }, b: { scope: Scope }): number {
  return scopes.indexOf(a.scope) - scopes.indexOf(b.scope);
}

export interface SettingsPlaces {
  readonly cwd: string;
  /** The user directory: `~/.claude`. */
  readonly configDir: string;
  /** Directory of an administrator's files, which no other scope overrules. */
  readonly managedDir: string;
}

export interface SettingsFile {
  readonly scope: Scope;
  readonly file: string;
}

/** Every file that may hold settings, highest first; most of them need not exist. */
export function settingsFiles({ cwd, configDir, managedDir }: SettingsPlaces): SettingsFile[] {
  const project = join(projectFolder(cwd), ".claude");
  const shared = join(project, "settings.json");
  const user = join(resolve(configDir), "settings.json");
  const files: SettingsFile[] = [
    ...managedFiles(managedDir).map((file): SettingsFile => ({ scope: "managed", file })),
    { scope: "local", file: join(project, "settings.local.json") },
    { scope: "project", file: shared },
    { scope: "user", file: user },
  ];
  // The user's file is not also the project's in the home directory.
  return realPath(shared) === realPath(user)
    ? files.filter(({ scope }) => scope !== "project")
    : files;
}

export function defaultManagedDir(platform: NodeJS.Platform = process.platform): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  if (platform === "win32") return "C:\\Program Files\\ClaudeCode";
  return "/etc/claude-code";
}

/** Managed files, highest first: later in the alphabet wins, and the base file is the lowest. */
function managedFiles(managedDir: string): string[] {
  const directory = join(managedDir, "managed-settings.d");
  return [...partFiles(directory).toReversed(), join(managedDir, "managed-settings.json")];
}

function partFiles(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".json") && !name.startsWith("."))
      .toSorted()
      .map((name) => join(directory, name));
  } catch (error) {
    const isMissing = systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR";
    // A policy that cannot be read must not count as absent: reading the directory as a file reports it.
    return isMissing ? [] : [directory];
  }
}

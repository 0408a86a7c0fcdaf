import { join } from "node:path";
import { packagePath } from "../contract/package-path.ts";
import { directoriesUpToRoot } from "../platform/git/git.ts";
import type { SkillPlace } from "./skills.ts";
import { sources, type SourceName } from "./sources.ts";

/** The location of definition files. */
export interface DefinitionPlace {
  readonly source: SourceName;
  /** Directory with everything below it, or one file. */
  readonly path: string;
  /** Whether hooks, servers, memories and permission modes in it may act. */
  readonly trusted: boolean;
  /** Directory that links must not leave; `null`: links may lead anywhere. */
  readonly within: string | null;
  /** Plugin that the agents belong to. */
  readonly plugin?: { readonly name: string; readonly root: string };
}

/** All places for a working directory, the winning one first. */
export function definitionPlaces(options: {
  cwd: string;
  configDir: string;
  managedDir: string;
  trusted: boolean;
  /** The main checkout, if this is a worktree of it. */
  mainCheckout: { path: string; trusted: boolean } | undefined;
  /** Further project folders (`--add-dir`), each with its own trust. */
  addedFolders: readonly { path: string; trusted: boolean }[];
  plugins: readonly { name: string; root: string; agents: readonly string[] }[];
}): DefinitionPlace[] {
  const user = join(options.configDir, "agents");
  const project = directoriesUpToRoot(options.cwd);
  const folders = [
    ...project.map((path) => ({ path, trusted: options.trusted, root: project.at(-1) ?? path })),
    ...(options.mainCheckout === undefined
      ? []
      : [{ ...options.mainCheckout, root: options.mainCheckout.path }]),
    ...options.addedFolders.map(({ path, trusted }) => ({ path, trusted, root: path })),
  ];
  const places: DefinitionPlace[] = [
    place("policy", join(options.managedDir, ".claude", "agents")),
    ...folders.map(({ path, trusted, root }) => ({
      source: "project" as const,
      path: join(path, ".claude", "agents"),
      trusted,
      within: trusted ? null : root,
    })),
    place("user", user),
    ...options.plugins.flatMap(({ name, root, agents }) =>
      agents.map((path) => ({ ...place("plugin", path), within: root, plugin: { name, root } })),
    ),
    place("built-in", packagePath("agents")),
  ];
  // The user's agents are not also the project's in the home directory.
  const own = places.filter(({ source, path }) => source !== "project" || path !== user);
  return own.toSorted((a, b) => sources[b.source] - sources[a.source]);
}

/** Directories of skills, in the same order: the first of two with one name wins. */
export function skillPlaces(options: {
  cwd: string;
  configDir: string;
  managedDir: string;
  trusted: boolean;
  plugins: readonly { name: string; root: string; skills: readonly string[] }[];
}): SkillPlace[] {
  const user = join(options.configDir, "skills");
  const folders = directoriesUpToRoot(options.cwd);
  const root = folders.at(-1) ?? options.cwd;
  const project = folders.map((path) => join(path, ".claude", "skills"));
  return [
    { source: "policy", directory: join(options.managedDir, ".claude", "skills") },
    ...project
      .filter((directory) => directory !== user)
      .map((directory) => ({
        source: "project" as const,
        directory,
        ...(options.trusted ? {} : { root }),
      })),
    { source: "user", directory: user },
    ...options.plugins.flatMap(({ name, root, skills }) =>
      skills.map((directory) => ({ source: "plugin" as const, directory, plugin: name, root })),
    ),
  ];
}

function place(source: SourceName, path: string): DefinitionPlace {
  return { source, path, trusted: true, within: null };
}

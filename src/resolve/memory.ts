import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { AgentDefinition } from "../definitions/definition.ts";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { isInside } from "../platform/files/is-inside.ts";
import { realPath } from "../platform/files/real-path.ts";
import type { Environment } from "./environment.ts";

type Here = Pick<Environment, "cwd" | "configDir" | "repository">;

/** The directory of an agent's notes, if its definition has `memory` and the directory is its own. */
export function memoryDirectory(definition: AgentDefinition, here: Here): string | null {
  const found = look(definition, here);
  return "directory" in found ? found.directory : null;
}

/** The reason why an agent that wants a memory gets none. */
export function memoryProblem(definition: AgentDefinition, here: Here): Diagnostic | null {
  const found = look(definition, here);
  if ("directory" in found) return null;
  return {
    severity: "warning",
    code: "inert",
    file: definition.file ?? definition.name,
    line: 1,
    column: 1,
    field: "memory",
    agent: definition.name,
    message: `'memory' of '${definition.name}' does not act: ${found.problem}`,
  };
}

/**
 * Checks the directory of a memory. Links in the user's own directory are the user's. Below a repository they belong to
 * the repository's author, so the directory must be where its name says: its files are read and written without
 * approval.
 */
function look(
  { name, memory, source }: AgentDefinition,
  { cwd, configDir, repository }: Here,
): { directory: string | null } | { problem: string } {
  if (memory === undefined) return { directory: null };
  const own = slug(name);
  if (memory === "user") return { directory: join(realPath(join(configDir, "agent-memory")), own) };
  const root = realPath(repository ?? cwd);
  const parts = [".claude", memory === "project" ? "agent-memory" : "agent-memory-local", own];
  const directory = join(root, ...parts);
  const real = realPath(directory);
  if (real !== directory) {
    const link = firstLink(root, parts) ?? directory;
    return { problem: `${link} is a link, or cannot be read. Put a plain directory there.` };
  }
  if (source === "project" && isInside(realPath(configDir), directory))
    return {
      problem: `${directory} belongs to your own agents. Move the agent to ${join(configDir, "agents")}.`,
    };
  return { directory };
}

function firstLink(root: string, parts: readonly string[]): string | undefined {
  const paths = parts.map((_, at) => join(root, ...parts.slice(0, at + 1)));
  return paths.find((path) => {
    try {
      return lstatSync(path).isSymbolicLink();
    } catch {
      return true;
    }
  });
}

/** Longest part of a path; file systems accept little more. */
const longest = 64;

/** Turns a name into part of a path: names are any text, and two of them must never share a directory. */
export function slug(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-");
  // A plain name that ends like a hash could be the slug of another name.
  if (plain === name && name.length <= longest && !/-[0-9a-f]{16}$/.test(name)) return name;
  return `${plain.slice(0, longest)}-${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

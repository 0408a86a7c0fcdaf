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

/** Why an agent that wants a memory gets none. */
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
 * Links in the user's own directory are the user's. Below a repository they are whoever's wrote the repository, so the directory
 * must be where its name says: what lies in it is read and written unasked.
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
    return { problem: `${link} is a link, or cannot be looked at. Put a plain directory there.` };
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

/** No file system takes a part of a path that is much longer. */
const longest = 64;

/** A name as part of a path: names are any text, and two of them must never share a directory. */
export function slug(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-");
  // A plain name that ends like a hash could be another name's.
  if (plain === name && name.length <= longest && !/-[0-9a-f]{16}$/.test(name)) return name;
  return `${plain.slice(0, longest)}-${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

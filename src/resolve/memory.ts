import { createHash } from "node:crypto";
import { join } from "node:path";
import { realPath } from "../platform/real-path.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import type { Environment } from "./environment.ts";

/** Where an agent keeps its notes, if its definition says that it keeps any. */
export function memoryDirectory(
  { name, memory }: AgentDefinition,
  environment: Pick<Environment, "cwd" | "configDir" | "repository">,
): string | null {
  if (memory === undefined) return null;
  const project = join(environment.repository ?? environment.cwd, ".claude");
  const place = {
    user: join(environment.configDir, "agent-memory"),
    project: join(project, "agent-memory"),
    local: join(project, "agent-memory-local"),
  }[memory];
  // Links on the way to it are the user's own.
  return join(realPath(place), slug(name));
}

/** No file system takes a part of a path that is much longer. */
const longest = 64;

/** A name as part of a path: names are any text, and two of them must never share a directory. */
export function slug(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-");
  if (plain === name && name.length <= longest) return name;
  return `${plain.slice(0, longest)}-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
}

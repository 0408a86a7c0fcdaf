import { existsSync } from "node:fs";
import { RetinueError } from "../contract/errors.ts";
import type { Workspace } from "../contract/resolved-agent.ts";
import { isInside } from "../platform/files/is-inside.ts";
import { realPath } from "../platform/files/real-path.ts";
import type { Environment } from "./environment.ts";

/** The workspace of a session's agents. */
export function sessionWorkspace(
  { cwd, branch }: Pick<Environment, "cwd" | "branch">,
  addedDirectories: readonly string[],
): Workspace {
  return { cwd, directories: [cwd, ...addedDirectories], branch: branch ?? null };
}

/** The workspace of a resumed agent: its earlier one, if the session may work there. Throws `invalid_config` if not. */
export function workspaceNow(
  { id, workspace: { cwd, branch } }: { id: string; workspace: Omit<Workspace, "directories"> },
  session: Workspace,
): Workspace {
  if (cwd === session.cwd) return session;
  const isThere = existsSync(cwd) && realPath(cwd) === cwd;
  if (isThere && session.directories.some((directory) => isInside(directory, cwd))) {
    return { cwd, directories: [cwd, ...session.directories], branch };
  }
  throw new RetinueError(
    "invalid_config",
    `Agent ${id} worked in ${cwd}, which is not a working directory of this session. Open the session with that cwd, or add the directory (--add-dir, permissions.additionalDirectories).`,
  );
}

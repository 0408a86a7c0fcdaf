import { existsSync, readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { errorMessage, RetinueError, systemCode } from "../contract/errors.ts";
import { mainAgentId } from "../contract/ids.ts";

/** An agent, known from the names of directories and files. */
export interface ListedAgent {
  readonly id: string;
  /** The meta file. That of a main agent may be missing, and other programs use the same names. */
  readonly file: string;
}

/** Lists every agent below a config directory and opens no file. Throws `storage` where `projects` cannot be read. */
export function listAgents(configDir: string): ListedAgent[] {
  const projects = join(configDir, "projects");
  return directories(entriesOfProjects(projects)).flatMap((project) =>
    directories(entriesIn(`${projects}/${project}`)).flatMap((session) =>
      agentsOf(session, `${projects}/${project}/${session}`),
    ),
  );
}

function agentsOf(sessionId: string, sessionDir: string): ListedAgent[] {
  const agentsDir = `${sessionDir}/subagents`;
  // Most sessions have no children, and an error for each would take longer than all the rest.
  const entries = existsSync(agentsDir) ? entriesIn(agentsDir) : [];
  const children = entries.flatMap(({ name }) => {
    const id = /^agent-(.+)\.meta\.json$/.exec(name)?.[1];
    return id === undefined ? [] : [{ id, file: `${agentsDir}/${name}` }];
  });
  return [{ id: mainAgentId(sessionId), file: `${sessionDir}/main.meta.json` }, ...children];
}

/** Directories among the entries, links to one included. */
function directories(entries: readonly Dirent[]): string[] {
  return entries.filter((entry) => !entry.isFile()).map(({ name }) => name);
}

function entriesIn(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function entriesOfProjects(projects: string): Dirent[] {
  try {
    return readdirSync(projects, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw new RetinueError(
      "storage",
      `${projects} cannot be read: ${errorMessage(error)}. Check its permissions or CLAUDE_CONFIG_DIR.`,
    );
  }
}

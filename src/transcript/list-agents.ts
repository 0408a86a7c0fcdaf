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
  return listSessions(configDir).flatMap(agentsOf);
}

/** Lists the agents without a mark of their end. Those that ended under an earlier version have none either. */
export function listUnmarkedAgents(configDir: string): ListedAgent[] {
  return listSessions(configDir).flatMap((session) => {
    const ended = new Set(entriesIfThere(`${session.directory}/ended`).map(({ name }) => name));
    return agentsOf(session).filter(({ id }) => !ended.has(id));
  });
}

interface ListedSession {
  readonly id: string;
  readonly directory: string;
}

function listSessions(configDir: string): ListedSession[] {
  const projects = join(configDir, "projects");
  return directories(entriesOfProjects(projects)).flatMap((project) =>
    directories(entriesIn(`${projects}/${project}`)).map((id) => ({
      id,
      directory: `${projects}/${project}/${id}`,
    })),
  );
}

function agentsOf({ id: sessionId, directory }: ListedSession): ListedAgent[] {
  const agentsDir = `${directory}/subagents`;
  const children = entriesIfThere(agentsDir).flatMap(({ name }) => {
    const id = /^agent-(.+)\.meta\.json$/.exec(name)?.[1];
    return id === undefined ? [] : [{ id, file: `${agentsDir}/${name}` }];
  });
  return [{ id: mainAgentId(sessionId), file: `${directory}/main.meta.json` }, ...children];
}

/** The entries of a directory that many sessions lack: an error for each of them would take longer than all the rest. */
function entriesIfThere(directory: string): Dirent[] {
  return existsSync(directory) ? entriesIn(directory) : [];
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

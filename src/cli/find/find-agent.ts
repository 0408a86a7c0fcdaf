import { RetinueError } from "../../contract/errors.ts";
import { filesAtOnce, mapAtMost } from "../../platform/gate.ts";
import { once } from "../../platform/once.ts";
import { oldestFirst, readAgent, type AgentOnDisk } from "../../transcript/agent-on-disk.ts";
import { listAgents, type ListedAgent } from "../../transcript/list-agents.ts";
import { glanceAt } from "../../transcript/meta.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { Caller } from "./caller.ts";

/** Shorter texts are names first: too many ids begin with them by chance. */
const shortestBeginning = 4;

/** The agent with this id, id prefix or name (the newest of that name). */
export function findAgent(text: string): Promise<AgentOnDisk> {
  return agentFinder()(text);
}

export type FindAgent = (text: string) => Promise<AgentOnDisk>;

/** Finds any number of agents with one listing of directories. */
export function agentFinder(): FindAgent {
  const listed = once(() => listAgents(defaultConfigDir()));
  return async (text) => findAmong(listed(), text);
}

/** Finds by id in file names, so that only the matching agent is read. Names of agents are in the files. */
async function findAmong(listed: readonly ListedAgent[], text: string): Promise<AgentOnDisk> {
  const isMeant = ({ id }: { id: string }): boolean =>
    id === text || (text.length >= shortestBeginning && id.startsWith(text));
  const read = await readAll(listed.filter(isMeant));
  // The session of a main agent may predate the rule that file names contain agent ids.
  const meant = read.filter(({ record }) => isMeant(record));
  const exact = meant.find(({ record }) => record.id === text);
  const [only] = meant.length === 1 ? meant : [];
  return exact ?? only ?? findInFiles(listed, text);
}

/** Finds an agent to steer. Throws when the caller may not steer it. */
export async function findToSteer(text: string): Promise<AgentOnDisk> {
  const [caller, agent] = await Promise.all([Caller.read(), findAgent(text)]);
  caller.mustSteer(agent);
  return agent;
}

/** Searches the meta files for a name, or for an id prefix that several agents share. */
async function findInFiles(listed: readonly ListedAgent[], text: string): Promise<AgentOnDisk> {
  const mayBeMeant = ({ file }: ListedAgent): boolean => {
    const glance = glanceAt(file);
    return glance !== undefined && (glance.name === text || glance.id.startsWith(text));
  };
  const agents = text === "" ? [] : await readAll(listed.filter(mayBeMeant));
  const exact = agents.find(({ record }) => record.id === text);
  if (exact !== undefined) return exact;
  const named = agents.findLast(({ record }) => record.name === text);
  if (named !== undefined) return named;
  const [first, ...others] = agents;
  if (first === undefined) {
    throw new RetinueError(
      "unknown_task",
      `There is no agent '${text}'. 'retinue ps -a' lists them.`,
    );
  }
  if (others.length > 0) {
    const ids = [first, ...others].slice(0, 5).map(({ record }) => record.id);
    throw new RetinueError(
      "ambiguous_task",
      `'${text}' means ${others.length + 1} agents: ${ids.join(", ")}${others.length > 4 ? ", …" : ""}. Write more of the id.`,
    );
  }
  return first;
}

/** Reads all agents, oldest first. Files of other programs are skipped. */
async function readAll(listed: readonly ListedAgent[]): Promise<AgentOnDisk[]> {
  const read = await mapAtMost(filesAtOnce, listed, ({ file }) => readAgent(file));
  return oldestFirst(read.filter((agent) => agent !== undefined));
}

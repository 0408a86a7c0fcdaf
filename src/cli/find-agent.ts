import { RetinueError } from "../errors.ts";
import { findAgents, type AgentOnDisk } from "../transcript/meta.ts";
import { defaultConfigDir } from "../transcript/paths.ts";

/** The agent that a person means: by id, by the beginning of an id, or by its name (the newest of that name). */
export async function findAgent(text: string): Promise<AgentOnDisk> {
  const agents = await findAgents(defaultConfigDir());
  const exact = agents.find(({ meta }) => meta.retinue.agentId === text);
  if (exact !== undefined) return exact;
  const named = agents.findLast(({ meta }) => meta.retinue.name === text);
  if (named !== undefined) return named;
  const [first, ...others] =
    text === "" ? [] : agents.filter(({ meta }) => meta.retinue.agentId.startsWith(text));
  if (first === undefined) {
    throw new RetinueError(
      "unknown_task",
      `There is no agent '${text}'. 'retinue ps -a' lists them.`,
    );
  }
  if (others.length > 0) {
    const ids = [first, ...others].slice(0, 5).map(({ meta }) => meta.retinue.agentId);
    throw new RetinueError(
      "ambiguous_task",
      `'${text}' means ${others.length + 1} agents: ${ids.join(", ")}${others.length > 4 ? ", …" : ""}. Write more of the id.`,
    );
  }
  return first;
}

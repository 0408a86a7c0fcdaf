import { RetinueError } from "../../contract/errors.ts";
import { findAgents, type AgentOnDisk } from "../../transcript/agent-on-disk.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";

/** The agent that a person means: by id, by the beginning of an id, or by its name (the newest of that name). */
export async function findAgent(text: string): Promise<AgentOnDisk> {
  const agents = await findAgents(defaultConfigDir());
  const exact = agents.find(({ record }) => record.id === text);
  if (exact !== undefined) return exact;
  const named = agents.findLast(({ record }) => record.name === text);
  if (named !== undefined) return named;
  const [first, ...others] =
    text === "" ? [] : agents.filter(({ record }) => record.id.startsWith(text));
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

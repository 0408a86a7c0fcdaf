import type { AgentOnDisk } from "../../transcript/agent-on-disk.ts";
import { Caller } from "./caller.ts";
import { findAgent } from "./find-agent.ts";

/** The agent that somebody wants to steer, who must be allowed to. */
export async function findToSteer(text: string): Promise<AgentOnDisk> {
  const [caller, agent] = await Promise.all([Caller.read(), findAgent(text)]);
  caller.mustSteer(agent);
  return agent;
}

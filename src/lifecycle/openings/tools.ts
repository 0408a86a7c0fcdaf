import { toolSpec } from "../../tools/tool.ts";
import type { Contribution, StartedRun } from "./opening.ts";

/** Gives the agent its tools, and the agents that the tools may ask about. */
export function openTools({ agent, session }: StartedRun): Contribution {
  const tools = new Map(
    agent.can.tools.flatMap((name) => {
      const tool = session.tools.get(name);
      return tool === undefined ? [] : [[name, tool] as const];
    }),
  );
  const toolSpecs = [...tools.values()].map(toolSpec);
  return { tools, toolSpecs, agents: session.family.tasksOf(agent.id) };
}

import { parseAgentId } from "../contract/ids.ts";
import { RetinueError } from "../contract/errors.ts";
import type { Catalog } from "../definitions/catalog.ts";
import { agentTasks } from "../lifecycle/agent-tasks.ts";
import type { Family } from "../lifecycle/family.ts";
import { childOf, resumeAgent } from "../resume.ts";
import { spawn, type House } from "../spawn.ts";

/** Ties the one knot of the house: agents spawn, resume and find agents through the pipeline. */
export function familyOf(house: () => House, types: () => Catalog | undefined): Family {
  return {
    spawn: (request, asker) => {
      const { resume, prompt, max_turns: maxTurns, model, mode, effort } = request;
      const by = { kind: "agent", asker } as const;
      if (resume === undefined) return spawn(request, by, house());
      const id = parseAgentId(resume);
      if (id === undefined) throw new RetinueError("unknown_task", `unknown task_id: ${resume}`);
      const { allowsBackground } = house().session;
      const background = allowsBackground && request.run_in_background === true;
      return resumeAgent(id, { prompt, maxTurns, model, mode, effort, background }, by, house());
    },
    childOf: (asker, how) => childOf(asker, how, house()),
    tasksOf: (id) => agentTasks(id, house().registry, house().session),
    typeOf: (text) => {
      const id = parseAgentId(text);
      return id && house().registry.record(id)?.type;
    },
    typeNamed: (name) => {
      const { defaultType } = house().surroundings.settings.agents;
      return types()?.typeOf(name ?? defaultType) ?? name ?? "";
    },
  };
}

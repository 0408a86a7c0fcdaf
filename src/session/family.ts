import { parseAgentId } from "../contract/ids.ts";
import { RetinueError } from "../contract/errors.ts";
import type { Catalog } from "../definitions/catalog.ts";
import { agentTasks } from "../lifecycle/agent-tasks.ts";
import type { Family } from "../lifecycle/family.ts";
import { childOf, resumeAgent } from "../resume.ts";
import { spawn } from "../spawn.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/** Lets agents spawn, resume and find other agents through the pipeline, without an import cycle. */
export function familyOf(runtime: () => SessionRuntime, types: () => Catalog | undefined): Family {
  return {
    spawn: (request, asker) => {
      const { resume, prompt, max_turns: maxTurns, model, mode, effort } = request;
      const by = { kind: "agent", asker } as const;
      if (resume === undefined) return spawn(request, by, runtime());
      const id = parseAgentId(resume);
      if (id === undefined) throw new RetinueError("unknown_task", `unknown task_id: ${resume}`);
      const { allowsBackground } = runtime().session;
      const background = allowsBackground && request.run_in_background === true;
      return resumeAgent(id, { prompt, maxTurns, model, mode, effort, background }, by, runtime());
    },
    childOf: (asker, how) => childOf(asker, how, runtime()),
    tasksOf: (id) => agentTasks(id, runtime().registry, runtime().session),
    typeOf: (text) => {
      const id = parseAgentId(text);
      return id && runtime().registry.record(id)?.type;
    },
    typeNamed: (name) => {
      const { defaultType } = runtime().surroundings.settings.agents;
      return types()?.typeOf(name ?? defaultType) ?? name ?? "";
    },
  };
}

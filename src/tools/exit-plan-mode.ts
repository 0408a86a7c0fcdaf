import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../platform/atomic-write.ts";
import { leafTool, type LeafTool } from "./tool.ts";

/**
 * How an agent that only plans hands its plan over. The plan is kept, the last one of an agent, whatever becomes of it. As
 * long as no host can approve it, the agent stays in plan mode, and is told so.
 */
export const exitPlanModeTool: LeafTool = leafTool({
  name: "ExitPlanMode",
  description: "Hand over your finished plan. Only when it is complete; ask nothing in it.",
  input: z.object({ plan: z.string().trim().min(1).describe("The whole plan, as Markdown") }),
  concurrency: "alone",
  repeatable: true,

  async execute({ plan }, { agentId, workbench }) {
    const filePath = join(workbench.resultsDir, `${agentId}-plan.md`);
    const kept = workbench.redactor.text(plan.toWellFormed());
    await writeFileAtomic(filePath, `${kept}\n`, { mode: 0o600 });
    return {
      content:
        `The plan is kept in ${filePath}. Nobody can approve it in this session, so you are still in plan mode. ` +
        "Change nothing; give the plan as your final answer.",
      data: { plan, filePath, approved: false },
    };
  },
});

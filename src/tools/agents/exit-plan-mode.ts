import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../../platform/files/atomic-write.ts";
import { text } from "../line.ts";
import { leafTool, type LeafTool, type PlanReply, type ToolContext } from "../tool.ts";

/**
 * Submits the plan of an agent in plan mode. The agent's last plan is stored, whatever the answer. A person who
 * approves it lets the agent carry it out. If no person can be asked, the agent stays in plan mode, and the result says
 * so.
 */
export const exitPlanModeTool: LeafTool = leafTool({
  name: "ExitPlanMode",
  description: "Hand over your finished plan. Only when it is complete; ask nothing in it.",
  input: z.object({ plan: z.string().trim().min(1).describe("The whole plan, as Markdown") }),
  effect: "none",
  background: true,
  audience: "planning",
  line: ({ plan }) => text(plan).split("\n", 1)[0] ?? "",
  concurrency: "alone",
  repeatable: true,
  waits: true,

  async execute({ plan }, context) {
    const filePath = join(context.workbench.resultsDir, `${context.agentId}-plan.md`);
    await keep(plan, filePath, context);
    const reply = (await context.leavePlan?.({ plan, filePath })) ?? { kind: "nobody" };
    const agreed = reply.kind === "approved" ? reply.plan : plan;
    if (agreed !== plan) await keep(agreed, filePath, context);
    return {
      content: textOf(reply, { filePath, isChanged: agreed !== plan }),
      data: { plan: agreed, filePath, approved: reply.kind === "approved" },
    };
  },
});

async function keep(plan: string, filePath: string, { workbench }: ToolContext): Promise<void> {
  const kept = workbench.redactor.text(plan.toWellFormed());
  await writeFileAtomic(filePath, `${kept}\n`, { mode: 0o600 });
}

function textOf(
  reply: PlanReply,
  { filePath, isChanged }: { filePath: string; isChanged: boolean },
): string {
  const kept = `The plan is kept in ${filePath}.`;
  switch (reply.kind) {
    case "approved": {
      const changed = isChanged ? ` A person changed it first; it now reads:\n${reply.plan}\n` : "";
      return `The plan is approved. ${kept}${changed} You are no longer in plan mode: carry the plan out. Permissions are now decided in mode ${reply.mode}.`;
    }
    case "denied":
      return `The plan is not approved: ${reply.message}\n${kept} You are still in plan mode. Change nothing; correct the plan and hand it over again.`;
    case "stays":
      return `${kept} The agent or session above you only plans too, so you stay in plan mode whatever becomes of the plan. Change nothing; give the plan as your final answer.`;
    case "nobody":
      return `${kept} No person can approve it in this session, so you are still in plan mode. Change nothing; give the plan as your final answer.`;
  }
}

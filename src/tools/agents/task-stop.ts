import { z } from "zod";
import { standing, tasksOf, type TaskReport } from "./tasks.ts";
import { leafTool, ToolFailure, type LeafTool } from "../tool.ts";

export const taskStopTool: LeafTool = leafTool({
  name: "TaskStop",
  description: "End a background agent or command.",
  effect: "none",
  background: true,
  audience: "all",
  coordinates: true,
  mainField: "task_id",
  concurrency: "alone",
  repeatable: true,
  // Models that learnt an older name of the field send `shell_id`.
  input: z.looseObject({ task_id: z.string().optional() }),
  async execute({ task_id, shell_id }, context) {
    const id = task_id ?? shell_id;
    if (typeof id !== "string" || id === "") throw new ToolFailure("Name the task in task_id.");
    const report = await tasksOf(context).stop(id);
    return { content: textOf(report), data: report };
  },
});

function textOf(report: TaskReport): string {
  const { died } = report;
  if (died === undefined) return `${standing(report)}.`;
  const gone = died === 1 ? "1 process was ended" : `${died} processes were ended`;
  return `${standing(report)}; ${died === 0 ? "nothing of it was running any more" : gone}.`;
}

import { z } from "zod";
import { endOf } from "../shell/tail.ts";
import { standing, tasksOf, type TaskReport } from "./tasks.ts";
import { leafTool, type LeafTool } from "../tool.ts";

export const taskOutputTool: LeafTool = leafTool({
  name: "TaskOutput",
  description: "State of a background agent or command, and the end of its output.",
  effect: "none",
  background: false,
  audience: "main",
  coordinates: true,
  mainField: "task_id",
  concurrency: "shared",
  repeatable: true,
  waits: true,
  input: z.object({
    task_id: z.string().min(1),
    block: z.boolean().default(true).describe("Wait for its end"),
    timeout: z.number().min(0).max(600_000).default(30_000).describe("Milliseconds"),
  }),
  async execute({ task_id: id, block, timeout }, context) {
    const tasks = tasksOf(context);
    const { signal } = context;
    const now = await tasks.output(id, { block: false, timeoutMs: 0 }, signal);
    const arrival = (): Promise<TaskReport> =>
      tasks.output(id, { block: true, timeoutMs: timeout }, signal);
    const report =
      !block || endStates.has(now.state) ? now : await (context.wait?.(arrival) ?? arrival());
    return { content: textOf(report), data: report };
  },
});

const endStates: ReadonlySet<string> = new Set(["completed", "failed", "stopped", "interrupted"]);

function textOf(report: TaskReport): string {
  const { text, omitted } = endOf(report.content);
  const left = omitted + (report.omitted ?? 0);
  const where = report.outputFile === null ? "" : `; all of it is in ${report.outputFile}`;
  return [
    ...(report.timedOut ? [`timeout waiting for task ${report.id}`] : []),
    standing(report),
    ...(left > 0 ? [`[… ${left} characters before this${where}]`] : []),
    text === "" ? "(no output)" : text.replace(/\n$/, ""),
    ...(report.notes ?? []),
  ].join("\n");
}

import { z } from "zod";
import { leafTool, type LeafTool } from "../tool.ts";

export const todoWriteTool: LeafTool = leafTool({
  name: "TodoWrite",
  description:
    "Replace your todo list. Use it for work of three or more steps; keep exactly one item in_progress.",
  effect: "none",
  background: true,
  audience: "all",
  line: ({ todos }) =>
    Array.isArray(todos) ? `${todos.length} ${todos.length === 1 ? "todo" : "todos"}` : "",
  concurrency: "alone",
  repeatable: true,
  input: z.object({
    todos: z.array(
      z.object({
        content: z.string().min(1).describe("What to do: 'Run tests'"),
        status: z.enum(["pending", "in_progress", "completed"]),
        activeForm: z.string().min(1).describe("'Running tests'"),
      }),
    ),
  }),
  async execute({ todos }, { workbench }) {
    const oldTodos = workbench.todos;
    workbench.todos = todos;
    return { content: summary(todos), data: { oldTodos, newTodos: todos } };
  },
});

export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
  /** The same in the progressive form, shown while it is worked on. */
  activeForm: string;
}

function summary(todos: readonly Todo[]): string {
  if (todos.length === 0) return "The todo list is empty now.";
  const count = (status: Todo["status"]): number =>
    todos.filter((todo) => todo.status === status).length;
  return `Todo list saved: ${count("completed")} completed, ${count("in_progress")} in progress, ${count("pending")} pending.`;
}

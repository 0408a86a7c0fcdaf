import { expect, test } from "vitest";
import { ToolBench } from "../shell/shell-tools-fixture.ts";
import { todoWriteTool, type Todo } from "./todo-write.ts";

const first: Todo = { content: "Run tests", status: "in_progress", activeForm: "Running tests" };
const second: Todo = { content: "Fix bug", status: "pending", activeForm: "Fixing bug" };

test("a list replaces the one before and both are in the data", async () => {
  await using bench = await ToolBench.create();
  expect(await bench.call(todoWriteTool, { todos: [first, second] })).toEqual({
    content: "Todo list saved: 0 completed, 1 in progress, 1 pending.",
    data: { oldTodos: [], newTodos: [first, second] },
  });
  const done: Todo = { ...first, status: "completed" };
  expect(await bench.call(todoWriteTool, { todos: [done] })).toMatchObject({
    data: { oldTodos: [first, second], newTodos: [done] },
  });
  expect(bench.workbench.todos).toEqual([done]);
});

test("an empty list clears it", async () => {
  await using bench = await ToolBench.create();
  bench.workbench.todos = [first];
  expect((await bench.call(todoWriteTool, { todos: [] })).content).toBe(
    "The todo list is empty now.",
  );
  expect(bench.workbench.todos).toEqual([]);
});

test("an unknown status is refused by the schema", () => {
  expect(todoWriteTool.input.safeParse({ todos: [{ ...first, status: "done" }] }).success).toBe(
    false,
  );
});

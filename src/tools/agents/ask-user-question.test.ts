import { expect, test } from "vitest";
import { askUserQuestionTool } from "./ask-user-question.ts";
import { ToolBench } from "../shell/shell-tools-fixture.ts";
import type { QuestionReply } from "../tool.ts";

const options = ["Postgres", "SQLite"].map((label) => ({ label, description: "a database" }));
const first = { question: "Which database?", header: "Database", options, multiSelect: false };
const second = { ...first, question: "And which others?", multiSelect: true };

test("the answers come back in the order of the questions, and as data", async () => {
  await using bench = await ToolBench.create();
  const asked: unknown[] = [];
  const answers = { "And which others?": ["Postgres", "mine"], "Which database?": "SQLite" };
  const output = await bench.call(
    askUserQuestionTool,
    { questions: [first, second] },
    {
      ask: async (questions): Promise<QuestionReply> => {
        asked.push(questions);
        return { kind: "answers", answers };
      },
    },
  );
  expect(asked).toEqual([[first, second]]);
  expect(output).toEqual({
    content: "The user answered:\nWhich database?\n→ SQLite\nAnd which others?\n→ Postgres, mine",
    data: { questions: [first, second], answers },
  });
});

test.each([
  ["nobody can be asked", {}, "No person can be asked here."],
  [
    "the person declines",
    { ask: async (): Promise<QuestionReply> => ({ kind: "none", reason: "Decide yourself." }) },
    "Decide yourself.",
  ],
])("where %s, the agent is told to go on with a stated assumption", async (_, context, reason) => {
  await using bench = await ToolBench.create();
  const output = await bench.call(askUserQuestionTool, { questions: [first] }, context);
  expect(output.isError).toBeUndefined();
  expect(output.content).toMatch(new RegExp(`^${reason} Go on with the assumption .* state it`));
});

test.each([
  ["no question", []],
  ["five questions", Array.from({ length: 5 }, (_, n) => ({ ...first, question: `${n}?` }))],
  ["one option", [{ ...first, options: options.slice(1) }]],
  ["the same question twice", [first, first]],
])("%s is refused by the schema", (_, questions) => {
  expect(askUserQuestionTool.input.safeParse({ questions }).success).toBe(false);
});

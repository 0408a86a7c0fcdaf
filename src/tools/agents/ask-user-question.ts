import { z } from "zod";
import { questionSchema } from "../../inbox/question.ts";
import { leafTool, type LeafTool, type QuestionReply, type ToolOutput } from "../tool.ts";

/**
 * Asks the user of the agent, through the same inbox as permissions. An agent without an answer does not wait: the
 * result tells it to decide itself, and to say so.
 */
export const askUserQuestionTool: LeafTool = leafTool({
  name: "AskUserQuestion",
  description:
    "Ask the user, when you cannot go on well without a choice that only they can make. Put questions that belong together into one call. They can also answer in their own words.",
  input: z.object({
    questions: z
      .array(questionSchema)
      .min(1)
      .max(4)
      .refine((all) => new Set(all.map(({ question }) => question)).size === all.length, {
        message: "each question must be another one",
      }),
  }),
  effect: "question",
  background: false,
  audience: "named",
  concurrency: "alone",
  repeatable: true,
  waits: true,

  async execute({ questions }, context) {
    const reply = (await context.ask?.(questions)) ?? nobody;
    return reply.kind === "answers"
      ? answered(reply.answers, questions)
      : {
          content: `${reply.reason} Go on with the assumption that fits the task best, and state it in your report. Do not ask this again.`,
          data: { questions, answers: {} },
        };
  },
});

const nobody: QuestionReply = { kind: "none", reason: "No person can be asked here." };

function answered(
  answers: Readonly<Record<string, string | string[]>>,
  questions: readonly { question: string }[],
): ToolOutput {
  const lines = questions.map(({ question }) => {
    const given = Object.hasOwn(answers, question) ? answers[question] : undefined;
    const text = Array.isArray(given) ? given.join(", ") : given;
    return `${question}\n→ ${text === undefined || text === "" ? "(no answer)" : text}`;
  });
  return { content: `The user answered:\n${lines.join("\n")}`, data: { questions, answers } };
}

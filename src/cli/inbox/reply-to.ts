import { RetinueError } from "../../contract/errors.ts";
import { questionSchema, type Question } from "../../inbox/question.ts";
import type { Answer, InboxRequest } from "../../inbox/request.ts";

/**
 * Answers in the order of the questions: the label of an option, its number, or other words. Where several may be chosen
 * they are separated by commas. Throws `invalid_request` where their number differs.
 */
export function replyTo(request: InboxRequest, texts: readonly string[]): Answer {
  const questions = questionsOf(request);
  if (texts.length !== questions.length)
    throw new RetinueError(
      "invalid_request",
      `${request.id} asks ${questions.length} questions and there are ${texts.length} answers. Give one --answer for each, in their order.`,
    );
  const answers = questions.map((question, index): [string, string | string[]] => {
    const text = texts[index] ?? "";
    const given = question.multiSelect
      ? text.split(",").map((part) => chosen(question, part))
      : chosen(question, text);
    return [question.question, given];
  });
  return { verdict: "reply", answers: Object.fromEntries(answers) };
}

export function questionsOf({ input }: Pick<InboxRequest, "input">): Question[] {
  const questions = input["questions"];
  if (!Array.isArray(questions)) return [];
  return questions.flatMap((one) => {
    const parsed = questionSchema.safeParse(one);
    return parsed.success ? [parsed.data] : [];
  });
}

function chosen({ options }: Question, text: string): string {
  const words = text.trim();
  const named = options.find(({ label }) => label.toLowerCase() === words.toLowerCase());
  const numbered = /^\d$/.test(words) ? options[Number(words) - 1] : undefined;
  return (named ?? numbered)?.label ?? words;
}

import { RetinueError } from "../contract/errors.ts";
import { ruleProblem } from "../permissions/rules/rule-problem.ts";
import { problemsIn, wording } from "../contract/wording.ts";
import { answerSchema, type Answer, type InboxRequest } from "./request.ts";

/**
 * Checks an answer from outside: its shape, and whether it fits this request. Missing rules become the suggested ones,
 * because a person who allows a call has seen them. Throws `invalid_request`.
 */
export function fitAnswer(request: InboxRequest, given: unknown): Answer {
  const parsed = answerSchema().safeParse(given, { error: wording });
  if (!parsed.success)
    throw misfit(request, `the answer is not valid: ${problemsIn(parsed.error)}`);
  const answer = parsed.data;
  if (answer.verdict === "reply") return fitReply(request, answer);
  if (answer.verdict === "deny") return answer;
  if (request.kind === "question")
    throw misfit(request, "it is a question. Answer each of its questions (--answer), or deny it");
  if (request.kind === "plan" && answer.scope !== "once")
    throw misfit(request, "a plan can only be approved once. Leave out the scope");
  if (answer.scope !== "always" && answer.file !== undefined)
    throw misfit(request, "a settings file takes only rules for always. Leave the file out");
  if (answer.scope === "once") {
    if (answer.rules !== undefined)
      throw misfit(request, "once stores no rule. Leave the rule out, or choose a wider scope");
    return answer;
  }
  // The suggestions match the original call, which was not allowed.
  if (answer.input !== undefined && answer.rules === undefined)
    throw misfit(request, "a changed call can only be allowed once. To allow more, name a rule");
  const rules = answer.rules ?? request.suggestions;
  if (rules.length === 0)
    throw misfit(request, "no rule covers this call. Allow it once, or name a rule");
  // Suggested rules match this very call, whether its tool is ours or the host's.
  const problem = rules
    .filter((rule) => !request.suggestions.includes(rule))
    .map((rule) => ruleProblem("allow", rule))
    .find((one) => one !== null);
  if (problem !== undefined) throw misfit(request, problem.replace(/\.$/, ""));
  return { ...answer, rules };
}

function fitReply(request: InboxRequest, answer: Extract<Answer, { verdict: "reply" }>): Answer {
  if (request.kind !== "question")
    throw misfit(request, "it is a request for permission, not a question. Allow it or deny it");
  const open = questionTexts(request).filter((text) => !Object.hasOwn(answer.answers, text));
  if (open.length > 0)
    throw misfit(request, `an answer is missing to: ${open.join(" ")} Answer every question`);
  return answer;
}

/** The questions in a request of kind `question`. */
export function questionTexts(request: InboxRequest): string[] {
  const questions = request.input["questions"];
  if (!Array.isArray(questions)) return [];
  return questions.flatMap((one: unknown) =>
    typeof one === "object" && one !== null && "question" in one ? [String(one.question)] : [],
  );
}

function misfit(request: InboxRequest, why: string): RetinueError {
  return new RetinueError("invalid_request", `${request.id} stays open: ${why}.`);
}

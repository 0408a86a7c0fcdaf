import type { FoundRequest } from "../../inbox/find-requests.ts";
import type { InboxRequest } from "../../inbox/request.ts";
import { callDetail, formatDuration } from "../terminal/format.ts";
import { literal, literalLine, literalWhole } from "../terminal/literal.ts";
import { questionsOf } from "../inbox/reply-to.ts";
import { plain, plainLine } from "../terminal/sanitize.ts";

/** The way from the root agent to the one that asks. */
export function askerPath({ label, agentId }: Pick<InboxRequest, "label" | "agentId">): string {
  return plainLine(label.length === 0 ? agentId : label.join(" ▸ "));
}

/** A call that waits for a person, in one line. Its end may be cut, so it is not enough for an approval. */
export function callLine({ tool, input }: Pick<InboxRequest, "tool" | "input">): string {
  const [question] = questionsOf({ input });
  return literalLine(`${tool} ${question?.question ?? callDetail({ name: tool, input })}`);
}

/** All of a call: a command as the shell will read it, a plan as it was written, everything else as JSON. */
export function callLines({ kind, input }: Pick<InboxRequest, "kind" | "input">): string[] {
  const field = kind === "plan" ? "plan" : "command";
  const { [field]: words, ...rest } = input;
  const isText = typeof words === "string";
  const others = isText ? rest : input;
  return [
    ...(isText ? literal(words).split("\n") : []),
    ...(isText && Object.keys(others).length === 0
      ? []
      : literal(JSON.stringify(others, null, 2)).split("\n")),
  ].map((line) => line.replaceAll("\t", "    "));
}

/** The agent's questions, with the number of each option. */
function questionLines(request: InboxRequest): string[] {
  return questionsOf(request).flatMap(({ question, options, multiSelect }) =>
    [
      `${question}${multiSelect ? " (several, between commas)" : ""}`,
      ...options.map(({ label, description }, at) => `  ${at + 1}  ${label}: ${description}`),
    ].flatMap((line) => literal(line).split("\n")),
  );
}

/** Prefix of every line of a call, so that none can pass for our own text about it. */
export const callMark = "  │ ";

/** All facts that a person needs before answering. */
export function requestLines({ request, processEnded }: FoundRequest, now: number): string[] {
  const { part, suggestions, deadline, onDeadline } = request;
  const name = request.agentName === null ? "" : `, named ${plainLine(request.agentName)}`;
  return [
    `${request.id}  ${askerPath(request)}`,
    `agent    ${plainLine(request.agentId)} (${plainLine(request.agentType)}${name})`,
    `asked    ${formatDuration(now - request.createdAt)} ago`,
    ...(deadline === null
      ? []
      : [`deadline in ${formatDuration(deadline - now)}, then ${onDeadline}`]),
    `reason   ${plain(request.reason, { oneLine: true })}`,
    ...(part === null ? [] : [`because of  ${literalWhole(part)}`]),
    `${plainLine(request.tool)}:`,
    ...(request.kind === "question" ? questionLines(request) : callLines(request)).map(
      (line) => callMark + line,
    ),
    ...(request.kind === "question"
      ? [`answer with: retinue approve ${request.id} --answer …, once for each question`]
      : []),
    ...(suggestions.length === 0
      ? []
      : [
          "rules that together would allow it:",
          ...suggestions.map((rule) => `  ${literalWhole(rule)}`),
        ]),
    ...(processEnded ? [endedNote] : []),
  ];
}

export const endedNote = "Its process has ended: no agent waits for the answer.";

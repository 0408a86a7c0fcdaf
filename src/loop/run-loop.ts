import type { PromptSource, StopReason } from "../events/event.ts";
import {
  textOf,
  toolUsesOf,
  userMessage,
  type AssistantMessage,
  type Attachment,
  type Message,
  type ToolResultBlock,
} from "../contract/message.ts";
import { askModel, type Asked } from "./ask-model.ts";
import { callTools } from "./call-tools.ts";
import type { LoopContext } from "./loop-context.ts";
import { readLastMail, readMail } from "./mail.ts";
import { nextMove } from "./next-move.ts";
import { ownCallIds } from "./own-call-ids.ts";
import { dropOpenCalls, settleOpenCalls, tellUnfinished } from "./pick-up.ts";
import { turnLimit, wrapUpText, type WrapUpEnding, type WrapUpReason } from "./wrap-up.ts";

/** `content` is the final text, empty if there is none. */
export type LoopOutcome = { content: string } & ({ kind: "completed" } | WrapUpEnding);

/** The task of the loop. Without a prompt the loop resumes where an earlier process was interrupted. */
export interface LoopTask {
  readonly prompt: string | null;
  readonly source: PromptSource;
  readonly attachments: readonly Attachment[];
}

/**
 * Model ↔ tools until a final answer. Emits events and returns the outcome; throws the model's error if it gives no
 * answer, and `signal.reason` on abort.
 */
export async function runLoop(context: LoopContext, task: LoopTask): Promise<LoopOutcome> {
  const { agent, signal, report } = context;
  const { maxTurns } = agent.costs;
  const working = { ...context, signal: context.wrapUp.working };
  const messages: Message[] = [...context.history.messages];
  let turn = context.history.turns;
  let found: Turn | undefined = await begin(working, task, messages);
  let cutText = found === undefined ? "" : textBeforeCut(messages);
  for (;;) {
    const asked: Turn = found ?? (await ask(context, messages, (turn += 1)));
    found = undefined;
    if (asked.kind === "interrupted") continue;
    if (asked.kind === "end") return { content: cutText, ...asked.ending };
    const { message, stopReason, malformed, wrapUp } = asked;
    const calls = toolUsesOf(message);
    const text = cutText + textOf(message.content);
    const move = nextMove({ stopReason, toolCalls: calls.length, text, wrapUp });
    if (move.kind === "complete") {
      const more = turn < maxTurns ? await readLastMail(working, turn) : [];
      if (more?.length === 0) return { kind: "completed", content: text };
      cutText = "";
      if (more !== null) messages.push(userMessage({ texts: more }));
      continue;
    }
    if (move.kind === "end") {
      for (const call of calls)
        tellUnfinished(context, call, "Not run: this turn was for the report only.");
      return { content: text, ...move.ending };
    }
    if (move.kind === "call-tools") {
      cutText = "";
      const results = asked.results ?? (await callTools(working, calls, malformed));
      signal.throwIfAborted();
      const attachments = reminder(agent.sees.reminder);
      for (const attachment of attachments) report.emit({ type: "attachment", attachment });
      messages.push(userMessage({ results, attachments, texts: readMail(context) }));
    } else {
      cutText = text;
      if (turn < maxTurns) messages.push(userMessage({ texts: [tell(context, continueText)] }));
    }
  }
}

/** The outcome of a turn: an answer to act on, whose calls may have run already (`results`), or none. */
type Turn =
  | Exclude<Asked, { kind: "answer" }>
  | {
      readonly kind: "answer";
      readonly message: AssistantMessage;
      readonly stopReason: StopReason;
      readonly malformed: Readonly<Record<string, string>>;
      readonly results?: readonly ToolResultBlock[];
      /** The reason for the last turn, if it was the last. */
      readonly wrapUp: WrapUpReason | undefined;
    };

async function ask(context: LoopContext, messages: Message[], turn: number): Promise<Turn> {
  const { report, steps, agent } = context;
  const { maxTurns } = agent.costs;
  if (turn > maxTurns) context.wrapUp.ask(turnLimit(maxTurns));
  const wrapUp = context.wrapUp.asked;
  if (wrapUp !== undefined) addToLast(messages, tell(context, wrapUpText(wrapUp)));
  report.emit({ type: "turn-start", turn, wrapUp: wrapUp !== undefined });
  await report.told();
  const askedAt = steps.now();
  const asked = await askModel(context, { messages, turn, wrapUp });
  if (asked.kind !== "answer") return asked;
  const { malformed, costUsd, ...answer } = ownCallIds(asked.answer, messages);
  const durationMs = steps.now() - askedAt;
  messages.push(answer.message);
  report.emit({ type: "assistant-message", turn, answer, costUsd, durationMs });
  await report.told();
  const { message, stopReason } = answer;
  return { kind: "answer", message, stopReason, malformed, wrapUp };
}

/** Adds the task to the conversation, or finds the answer at which an earlier process stopped. */
async function begin(
  context: LoopContext,
  task: LoopTask,
  messages: Message[],
): Promise<Turn | undefined> {
  const { report, history, agent } = context;
  const { pending } = history;
  if (task.prompt === null) {
    if (pending === null) return undefined;
    const { message, stopReason } = pending.answer;
    const results = await settleOpenCalls(context, pending);
    const { maxTurns } = agent.costs;
    const wrapUp = history.turns > maxTurns ? turnLimit(maxTurns) : undefined;
    return { kind: "answer", message, stopReason, malformed: {}, results, wrapUp };
  }
  const results = pending === null ? [] : await dropOpenCalls(context, pending);
  const { prompt: text, source, attachments } = task;
  report.emit({ type: "prompt", text, source, attachments: [...attachments] });
  messages.push(userMessage({ results, attachments, texts: [text, ...readMail(context)] }));
  return undefined;
}

/** Emits a prompt of the harness. */
function tell({ report }: LoopContext, text: string): string {
  report.emit({ type: "prompt", text, source: "harness", attachments: [] });
  return text;
}

/** Adds text to the last message by replacing it: a sent message is never changed. */
function addToLast(messages: Message[], text: string): void {
  const more = userMessage({ texts: [text] });
  const last = messages.at(-1);
  if (last?.role !== "user") messages.push(more);
  else messages.splice(-1, 1, { role: "user", content: [...last.content, ...more.content] });
}

/** The text before an answer that continued one cut off at the length limit. */
function textBeforeCut(messages: readonly Message[]): string {
  let text = "";
  for (let at = messages.length - 2; at > 0; at -= 2) {
    const [asked, cut] = [messages[at], messages[at - 1]];
    if (asked?.role !== "user" || textOf(asked.content) !== continueText) break;
    text = (cut?.role === "assistant" ? textOf(cut.content) : "") + text;
  }
  return text;
}

const continueText =
  "Your answer was cut off by the length limit. Go on exactly where it stopped, without repeating anything.";

function reminder(text: string | null): Attachment[] {
  return text === null ? [] : [{ type: "critical_reminder", text }];
}

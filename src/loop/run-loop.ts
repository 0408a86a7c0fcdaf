import type { AgentFailure } from "../agent-result.ts";
import type { PromptSource, StopReason } from "../events/event.ts";
import {
  textOf,
  toolUsesOf,
  userMessage,
  type AssistantMessage,
  type Attachment,
  type Message,
  type ToolResultBlock,
} from "../message.ts";
import { answerCost } from "../model/prices.ts";
import { callModel } from "./call-model.ts";
import { callTools } from "./call-tools.ts";
import type { LoopContext } from "./loop-context.ts";
import { readLastMail, readMail } from "./mail.ts";
import { nextMove } from "./next-move.ts";
import { dropOpenCalls, settleOpenCalls, tellUnfinished } from "./pick-up.ts";

export type LoopOutcome =
  | { kind: "completed"; content: string }
  | { kind: "failed"; content: string; error: AgentFailure };

/** What the loop has to do. Without a prompt it goes on where an earlier process was interrupted. */
export interface LoopTask {
  readonly prompt: string | null;
  readonly source: PromptSource;
  readonly attachments: readonly Attachment[];
}

/**
 * Model ↔ tools until a final answer. Reports what happens, returns how it ended; throws the model's error when it
 * could not be had and `signal.reason` when aborted.
 */
export async function runLoop(context: LoopContext, task: LoopTask): Promise<LoopOutcome> {
  const { agent, signal, report } = context;
  const { maxTurns } = agent.costs;
  const messages: Message[] = [...context.history.messages];
  let turn = context.history.turns;
  let answer = await begin(context, task, messages);
  let cutText = answer === undefined ? "" : textBeforeCut(messages);
  for (;;) {
    if (answer === undefined) answer = await ask(context, messages, (turn += 1));
    const { message, stopReason, malformed, results: known } = answer;
    answer = undefined;
    const calls = toolUsesOf(message);
    const text = cutText + textOf(message.content);
    const wrapUp = turn > maxTurns;
    const move = nextMove({ stopReason, toolCalls: calls.length, text, wrapUp, maxTurns });
    const last = turn === maxTurns;
    if (move.kind === "complete") {
      const texts = last ? [] : await readLastMail(context, turn);
      if (texts.length === 0) return { kind: "completed", content: text };
      messages.push(userMessage({ texts }));
      cutText = "";
      continue;
    }
    if (move.kind === "fail") {
      for (const call of calls)
        tellUnfinished(context, call, "Not run: the turn limit was reached.");
      return { kind: "failed", content: text, error: move.error };
    }
    if (move.kind === "call-tools") {
      cutText = "";
      const results = known ?? (await callTools(context, calls, malformed));
      signal.throwIfAborted();
      const attachments = reminder(agent.sees.reminder);
      for (const attachment of attachments) report.emit({ type: "attachment", attachment });
      const texts = [...readMail(context), ...(last ? [tell(context, wrapUpText)] : [])];
      messages.push(userMessage({ results, attachments, texts }));
    } else {
      cutText = text;
      messages.push(userMessage({ texts: [tell(context, last ? wrapUpText : continueText)] }));
    }
  }
}

/** An answer to act on. `results`: its calls have been made already. */
interface Answer {
  readonly message: AssistantMessage;
  readonly stopReason: StopReason;
  readonly malformed: Readonly<Record<string, string>>;
  readonly results?: readonly ToolResultBlock[];
}

async function ask(context: LoopContext, messages: Message[], turn: number): Promise<Answer> {
  const { report, steps, agent, prices } = context;
  report.emit({ type: "turn-start", turn, wrapUp: turn > agent.costs.maxTurns });
  await report.told();
  const askedAt = steps.now();
  const { malformed, ...answer } = await callModel(context, messages, turn);
  const durationMs = steps.now() - askedAt;
  messages.push(answer.message);
  const costUsd = answerCost(answer, prices);
  report.emit({ type: "assistant-message", turn, answer, costUsd, durationMs });
  await report.told();
  return { message: answer.message, stopReason: answer.stopReason, malformed };
}

/** Puts the task into the conversation; or finds the answer at which an earlier process stopped. */
async function begin(
  context: LoopContext,
  task: LoopTask,
  messages: Message[],
): Promise<Answer | undefined> {
  const { report, history } = context;
  const { pending } = history;
  if (task.prompt === null) {
    if (pending === null) return undefined;
    const { message, stopReason } = pending.answer;
    const results = await settleOpenCalls(context, pending);
    return { message, stopReason, malformed: {}, results };
  }
  const results = pending === null ? [] : dropOpenCalls(context, pending);
  const { prompt: text, source, attachments } = task;
  report.emit({ type: "prompt", text, source, attachments: [...attachments] });
  messages.push(userMessage({ results, attachments, texts: [text, ...readMail(context)] }));
  return undefined;
}

/** The harness says something on the way. */
function tell({ report }: LoopContext, text: string): string {
  report.emit({ type: "prompt", text, source: "harness", attachments: [] });
  return text;
}

/** What was said before an answer that went on where the length limit had cut it off. */
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
const wrapUpText =
  "You have used all your turns. Call no more tools. Report now: what you found or did, what is left, and where it stands.";

function reminder(text: string | null): Attachment[] {
  return text === null ? [] : [{ type: "critical_reminder", text }];
}

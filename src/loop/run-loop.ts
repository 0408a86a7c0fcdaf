import type { AgentFailure } from "../agent-result.ts";
import type { AgentEventBody, PromptSource, ToolCall } from "../events/event.ts";
import { textOf, toolUsesOf, userMessage, type Attachment, type Message } from "../message.ts";
import { answerCost } from "../model/prices.ts";
import { callModel } from "./call-model.ts";
import { callTools } from "./call-tools.ts";
import type { LoopContext } from "./loop-context.ts";
import { nextMove } from "./next-move.ts";

export type LoopOutcome =
  | { kind: "completed"; content: string }
  | { kind: "failed"; content: string; error: AgentFailure };

/**
 * Model ↔ tools until a final answer. Reports what happens, returns how it ended; throws the model's error when it
 * could not be had and `signal.reason` when aborted.
 */
export async function runLoop(
  context: LoopContext,
  task: { prompt: string; source: PromptSource; attachments: readonly Attachment[] },
): Promise<LoopOutcome> {
  const { agent, signal, report, steps } = context;
  const { maxTurns } = agent.costs;
  const messages: Message[] = [...context.history];
  const prompt = (text: string, source: PromptSource, attachments: readonly Attachment[] = []) => {
    report.emit({ type: "prompt", text, source, attachments: [...attachments] });
    return userMessage({ attachments, texts: [text] });
  };
  messages.push(prompt(task.prompt, task.source, task.attachments));
  let cutText = "";

  for (let turn = 1; ; turn += 1) {
    const wrapUp = turn > maxTurns;
    report.emit({ type: "turn-start", turn, wrapUp });
    await report.told();
    const askedAt = steps.now();
    const { malformed, ...answer } = await callModel(context, messages, turn);
    const durationMs = steps.now() - askedAt;
    messages.push(answer.message);
    const costUsd = answerCost(answer, context.prices);
    report.emit({ type: "assistant-message", turn, answer, costUsd, durationMs });
    await report.told();

    const calls = toolUsesOf(answer.message);
    const text = cutText + textOf(answer.message.content);
    const move = nextMove({
      stopReason: answer.stopReason,
      toolCalls: calls.length,
      text,
      wrapUp,
      maxTurns,
    });
    if (move.kind === "complete") return { kind: "completed", content: text };
    if (move.kind === "fail") {
      // Every call in the history has a result, so that the conversation can go on later.
      for (const { id, name, input } of calls) report.emit(notRun({ id, name, input }));
      return { kind: "failed", content: text, error: move.error };
    }

    const last = turn === maxTurns;
    if (move.kind === "call-tools") {
      cutText = "";
      const results = await callTools(context, calls, malformed);
      signal.throwIfAborted();
      const reminders = reminder(agent.sees.reminder);
      for (const attachment of reminders) report.emit({ type: "attachment", attachment });
      const wrapping = last ? prompt(wrapUpText, "harness").content : [];
      const { content } = userMessage({ results, attachments: reminders });
      messages.push({ role: "user", content: [...content, ...wrapping] });
    } else {
      cutText = text;
      messages.push(prompt(last ? wrapUpText : continueText, "harness"));
    }
  }
}

const continueText =
  "Your answer was cut off by the length limit. Go on exactly where it stopped, without repeating anything.";
const wrapUpText =
  "You have used all your turns. Call no more tools. Report now: what you found or did, what is left, and where it stands.";

function notRun(call: ToolCall): AgentEventBody {
  const content = "Not run: the turn limit was reached.";
  const result = { type: "tool_result", tool_use_id: call.id, content, is_error: true } as const;
  return { type: "tool-call-end", call, result, data: undefined, durationMs: 0 };
}

function reminder(text: string | null): Attachment[] {
  return text === null ? [] : [{ type: "critical_reminder", text }];
}

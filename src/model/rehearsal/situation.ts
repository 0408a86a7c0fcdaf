import type { Message, UserMessage } from "../../contract/message.ts";
import { textOf } from "../../contract/message.ts";
import type { ModelRequest } from "../model.ts";

/** Facts for a script about an agent that requests an answer: read from its request alone. */
export interface Situation {
  agentType: string;
  system: string;
  /** The agent's task: its first prompt without attachments of the harness. */
  prompt: string;
  /** All input of the agent since its last answer: tool results, notices, prompts. */
  last: string;
  /** The tool results in `last`. */
  lastResults: readonly string[];
  /** All tool results of the conversation, oldest first. */
  results: readonly { tool: string; text: string }[];
}

export type ScriptedRequest = Pick<ModelRequest, "system" | "messages" | "origin">;

export function situationOf({ system, messages, origin }: ScriptedRequest): Situation {
  const first = messages.find((message) => message.role === "user");
  const lastAnswer = messages.findLastIndex((message) => message.role === "assistant");
  const unanswered = messages.slice(lastAnswer + 1).filter((message) => message.role === "user");
  return {
    agentType: origin.agentType,
    system,
    prompt: first === undefined ? "" : promptOf(first),
    last: unanswered.map(toldIn).join("\n"),
    lastResults: unanswered.flatMap(resultsIn).map((result) => textOf(result.content)),
    results: namedResults(messages),
  };
}

function promptOf(message: UserMessage): string {
  return textOf(
    message.content.filter(
      (block) => block.type === "text" && !block.text.startsWith("<system-reminder>"),
    ),
  );
}

function toldIn(message: UserMessage): string {
  return message.content
    .flatMap((block) => {
      if (block.type === "text") return [block.text];
      return block.type === "tool_result" ? [textOf(block.content)] : [];
    })
    .join("\n");
}

function resultsIn(message: UserMessage) {
  return message.content.filter((block) => block.type === "tool_result");
}

function namedResults(messages: readonly Message[]): { tool: string; text: string }[] {
  const tools = new Map<string, string>();
  const results: { tool: string; text: string }[] = [];
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const block of message.content) {
        if (block.type === "tool_use") tools.set(block.id, block.name);
      }
      continue;
    }
    for (const result of resultsIn(message)) {
      const tool = tools.get(result.tool_use_id);
      if (tool !== undefined) results.push({ tool, text: textOf(result.content) });
    }
  }
  return results;
}

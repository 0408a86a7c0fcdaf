import { closeSync, writeSync } from "node:fs";
import type { AgentEvent } from "../../events/event.ts";
import { textOf } from "../../contract/message.ts";
import { openInPrivateDirectory } from "../../platform/files/make-directory.ts";

const longest = 500;

/**
 * The log of a background agent, as text that can be tailed. Only the transcript must not be lost: if this file cannot
 * be written, the agent continues without it.
 */
export class OutputFile {
  readonly #path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  apply(event: AgentEvent): void {
    const text = linesOf(event);
    if (text === "") return;
    try {
      this.#file ??= openInPrivateDirectory(this.#path, "a");
      writeSync(this.#file, text);
    } catch {
      this.close();
    }
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }
}

function linesOf(event: AgentEvent): string {
  switch (event.type) {
    case "agent-start":
      return `[${event.agent.type}: ${event.agent.description}]\n`;
    case "agent-background":
      return "[in the background from here on]\n";
    case "summary":
      return `[now: ${cut(event.text)}]\n`;
    case "prompt":
      return event.source === "message" ? `> ${cut(event.text)}\n` : "";
    case "assistant-message": {
      const text = textOf(event.answer.message.content).trim();
      return text === "" ? "" : `${text}\n`;
    }
    case "tool-call-start":
      return `▸ ${event.call.name} ${cut(JSON.stringify(event.call.input))}\n`;
    case "tool-call-end":
      return `  ${event.result.is_error === true ? "✗" : "→"} ${cut(textOf(event.result.content))}\n`;
    case "agent-end":
      return `[${ending(event.result)}]\n`;
    default:
      return "";
  }
}

function ending(result: Extract<AgentEvent, { type: "agent-end" }>["result"]): string {
  if (result.state === "failed") return `failed (${result.error.code}): ${result.error.message}`;
  return result.state === "stopped" ? `stopped: ${result.reason}` : result.state;
}

function cut(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, " ⏎ ");
  return line.length <= longest ? line : `${line.slice(0, longest - 1).toWellFormed()}…`;
}

import type { AgentResult } from "../../contract/agent-result.ts";
import type { ToolCall } from "../../events/event.ts";
import { knownTool } from "../../tools/known-tools.ts";
import { callLine } from "../../tools/line.ts";
import { toolName } from "../../tools/registry.ts";
import { plainLine } from "./sanitize.ts";

/** `0:41`, `12:03`, `1:02:03`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const tail = String(seconds % 60).padStart(2, "0");
  if (hours === 0) return `${minutes}:${tail}`;
  return `${hours}:${String(minutes).padStart(2, "0")}:${tail}`;
}

/** A duration: `0.8s` below ten seconds, a clock from there. */
export function formatSpan(milliseconds: number): string {
  if (milliseconds >= 10_000) return formatDuration(milliseconds);
  return `${(Math.max(0, milliseconds) / 1000).toFixed(1)}s`;
}

/** `950`, `1.5k`, `14k`, `2.1M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  if (tokens < 9950) return `${oneDecimal(tokens / 1000)}k`;
  if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`;
  return `${oneDecimal(tokens / 1_000_000)}M`;
}

/** 900 B, 12.3 KiB, 4.0 MiB. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  const step = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return step === 0 ? `${bytes} B` : `${(bytes / 1024 ** step).toFixed(1)} ${units[step]}`;
}

/** `<$0.01`, `$0.03`, `$12.40`; an unknown cost is called unknown. */
export function formatCost(costUsd: number | null): string {
  if (costUsd === null) return "unknown";
  return costUsd > 0 && costUsd < 0.01 ? "<$0.01" : `$${costUsd.toFixed(2)}`;
}

export function plural(count: number, noun: string, many: string = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}

/** `4 turns · 12 tools · 14k tok · 1:03` */
export function formatFigures(figures: {
  turns: number;
  toolUses: number;
  tokens: number;
  durationMs: number;
}): string {
  return [
    plural(figures.turns, "turn"),
    plural(figures.toolUses, "tool"),
    `${formatTokens(figures.tokens)} tok`,
    formatSpan(figures.durationMs),
  ].join(" · ");
}

/** The result of an agent in one sanitized line. */
export function formatOutcome(result: AgentResult): string {
  if (result.state === "completed") return firstLine(result.content);
  if (result.state === "stopped") return plainLine(`stopped: ${result.reason}`);
  return plainLine(`${result.error.code}: ${result.error.message}`);
}

/** A short model name, marked as scripted wherever it is shown if its answers come from a script. */
export function formatModel(model: string, scripted: boolean): string {
  const short = plainLine(model.replace(/^claude-/, ""));
  return scripted ? `scripted ${short}` : short;
}

/** A tool call in one harmless line: `Grep "authorize(" src/`. */
export function formatCall(call: ToolCall): string {
  return plainLine(`${call.name} ${callDetail(call)}`);
}

/** The main argument of a call, as the model wrote it; the caller sanitizes it. */
export function callDetail(call: Pick<ToolCall, "name" | "input">): string {
  return callLine(knownTool(toolName(call.name)), call.input);
}

/** A refused call and why; the reason names the remedy. */
export function formatDenial(call: ToolCall, reason: string): string {
  return `denied ${formatCall(call)} · ${plainLine(reason)}`;
}

function oneDecimal(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "");
}

function firstLine(text: string): string {
  const start = text.slice(0, 10_000).trimStart();
  const end = start.indexOf("\n");
  return plainLine(end === -1 ? start : start.slice(0, end));
}

import type { ToolCall } from "../events/event.ts";
import {
  toolUsesOf,
  type AssistantMessage,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../contract/message.ts";
import { redactionMark } from "../redact/replace-pattern.ts";
import { toolName } from "../tools/registry.ts";
import type { Tool, ToolOutput } from "../tools/tool.ts";
import { tellEnd } from "./call-tool.ts";
import { callTools } from "./call-tools.ts";
import type { LoopContext } from "./loop-context.ts";
import type { OpenCall, Pending } from "./pending.ts";

/**
 * Settles all calls of an interrupted answer. A call that may have had an effect is never repeated: the model reads
 * that it was interrupted. A call that never began runs now, unless it was to follow an interrupted one. The step finds
 * the agent of a spawn call again, or starts it.
 */
export async function settleOpenCalls(
  context: LoopContext,
  { answer, results, open }: Pending,
): Promise<ToolResultBlock[]> {
  const kinds = open.map((one) => ({ ...one, ...natureOf(context, one.call) }));
  const lost = kinds.filter(({ begun, spawns }) => begun && !spawns);
  const cut = lost.length > 0;
  const rerun = kinds.filter(
    ({ call, begun, spawns, repeatable }) =>
      (begun && spawns) || (!lacksSecret(call) && (spawns || repeatable || (!begun && !cut))),
  );
  const rest = kinds.filter((one) => !rerun.includes(one));
  const told = rest.map(({ call, begun, spawns }) => {
    const notRun = lacksSecret(call) ? secretText : cutText;
    return tellUnfinished(context, call, begun && !spawns ? interruptedText : notRun);
  });
  const ran = await callTools(
    context,
    rerun.map(({ call }) => call),
    {},
  );
  return inOrder([...results, ...told, ...ran], answer.message);
}

/**
 * Settles the open calls when the agent gets a new task: no old call runs any more, but the result of a child is
 * reported.
 */
export async function dropOpenCalls(
  context: LoopContext,
  { answer, results, open }: Pending,
): Promise<ToolResultBlock[]> {
  const children = await Promise.all(open.map((one) => reportOfChild(context, one)));
  const told = open.map(({ call, begun }, at) => {
    const report = children[at];
    if (report === undefined)
      return tellUnfinished(context, call, begun ? interruptedText : droppedText);
    return tellEnd(context, plainCall(call), { ...report, durationMs: 0 });
  });
  return inOrder([...results, ...told], answer.message);
}

/** The report of a child that went as far as it could without its parent. */
async function reportOfChild(
  context: LoopContext,
  { call, begun }: OpenCall,
): Promise<ToolOutput | undefined> {
  const tool = toolOf(context, call);
  if (!begun || tool?.kind !== "spawn") return undefined;
  // A child whose files cannot be read counts as interrupted.
  const child = await context.steps
    .earlierChild(tool.request(call.input as never), call.id)
    .catch(() => undefined);
  return child && tool.report(child);
}

const interruptedText =
  "Interrupted: the process that ran this call ended before it did. It may or may not have had its effect; look before you repeat it.";
const cutText =
  "Interrupted: not run, because the process ended while a call before it was under way. Send it again if it is still wanted.";
const secretText =
  "Interrupted: not run, because its input held a secret, and secrets are not kept on disk. Send it again if it is still wanted.";
const droppedText = "Interrupted: not run, because the process ended before its turn came.";

/** Whether the input lacks a secret, which was redacted in the transcript: the call cannot run. */
function lacksSecret({ input }: ToolUseBlock): boolean {
  return JSON.stringify(input).includes(redactionMark);
}

function toolOf({ tools }: LoopContext, { name }: ToolUseBlock): Tool | undefined {
  return tools.get(name) ?? tools.get(toolName(name));
}

function natureOf(
  context: LoopContext,
  call: ToolUseBlock,
): { spawns: boolean; repeatable: boolean } {
  const tool = toolOf(context, call);
  return {
    spawns: tool?.kind === "spawn",
    // A missing tool has no effect to repeat.
    repeatable: tool === undefined || (tool.kind === "leaf" && tool.repeatable),
  };
}

/** Gives every call in the history a result, so that the conversation can continue. */
export function tellUnfinished(
  context: LoopContext,
  call: ToolCall,
  content: string,
): ToolResultBlock {
  return tellEnd(context, plainCall(call), { content, isError: true, durationMs: 0 });
}

function plainCall({ id, name, input }: ToolCall): ToolCall {
  return { id, name, input };
}

function inOrder(results: ToolResultBlock[], answer: AssistantMessage): ToolResultBlock[] {
  const ids = toolUsesOf(answer).map(({ id }) => id);
  return results.toSorted((a, b) => ids.indexOf(a.tool_use_id) - ids.indexOf(b.tool_use_id));
}

import type { z } from "zod";
import { errorMessage } from "../contract/errors.ts";
import type { ToolCall } from "../events/event.ts";
import type { Question } from "../inbox/question.ts";
import type { ToolResultBlock } from "../contract/message.ts";
import { mayReachPrivate } from "../permissions/rules/private-host.ts";
import { realPath } from "../platform/files/real-path.ts";
import type { ConfinedTo } from "../platform/sandbox/confined-to.ts";
import type { TreeHold } from "../tools/shell/tree-lock.ts";
import { toolName } from "../tools/registry.ts";
import type { LeafTool, QuestionReply, Tool, ToolOutput } from "../tools/tool.ts";
import type { LoopContext } from "./loop-context.ts";
import { approve, rulebookOf } from "./approve.ts";
import { leavePlan } from "./leave-plan.ts";
import { searchFor } from "./search-web.ts";
import { withToolClock } from "./tool-clock.ts";

/**
 * Runs one tool call, from the model's words to a result that the model can read. Never throws: unknown tools,
 * malformed input, denials, failures and interruptions are all results.
 */
export async function callTool(
  context: LoopContext,
  call: ToolCall,
  malformed: string | undefined,
): Promise<ToolResultBlock> {
  const { steps, report } = context;
  const startedAt = steps.now();
  report.emit({ type: "tool-call-start", call });
  const output = await runCall(context, call, malformed);
  return tellEnd(context, call, { ...output, durationMs: steps.now() - startedAt });
}

/** Emits the end of a call, and returns the result for the model. */
export function tellEnd(
  { report }: Pick<LoopContext, "report">,
  call: ToolCall,
  { content, isError, data, durationMs }: ToolOutput & { durationMs: number },
): ToolResultBlock {
  const result: ToolResultBlock = {
    type: "tool_result",
    tool_use_id: call.id,
    content,
    ...(isError === true ? { is_error: true } : {}),
  };
  report.emit({ type: "tool-call-end", call, result, data, durationMs });
  return result;
}

async function runCall(
  context: LoopContext,
  call: ToolCall,
  malformed: string | undefined,
): Promise<ToolOutput> {
  const { signal, steps } = context;
  const tool = context.tools.get(call.name) ?? context.tools.get(toolName(call.name));
  if (tool === undefined) return failure(unknownTool(context, call.name));
  if (malformed !== undefined) {
    return failure(
      `The input of this ${tool.name} call is not valid JSON: ${malformed.slice(0, 200)}\nSend the call again.`,
    );
  }
  let changedTo: Record<string, unknown> | null = null;
  let left = "";
  const leave = (text: string): void => void (left = text);
  try {
    // Compiling a parser for each schema would cost more than the few hundred calls of a session.
    const parsed = tool.input.safeParse(call.input, { jitless: true });
    if (!parsed.success) return failure(invalidInput(tool, parsed.error));
    if (signal.aborted) return interrupted(signal);
    const key = `tool/${call.id}`;
    const approved = await approve(context, tool, call, parsed.data);
    if (!approved.allowed) return failure(approved.text);
    const { input, changed, real, confinedTo } = approved;
    using hold = approved.hold;
    if (changed) changedTo = input;
    const output =
      tool.kind === "spawn"
        ? tool.report(await steps.child(key, tool.request(input as never), call.id))
        : await steps.run(key, { repeatable: tool.repeatable }, () =>
            underClock(context, tool, call, (own) =>
              execute(own, { tool, call, input, real, confinedTo, hold, leave }),
            ),
          );
    return withInput(output, changedTo);
  } catch (error) {
    const output = signal.aborted ? interrupted(signal) : failure(errorMessage(error));
    return withInput(withRest(output, left), changedTo);
  }
}

/** Runs a call with its own signal. After its end nothing more of it is shown, even if it still runs. */
async function underClock(
  context: LoopContext,
  tool: LeafTool,
  call: ToolCall,
  work: (own: LoopContext) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const { report, limits, signal, clock } = context;
  let isOver = false;
  const emit: typeof report.emit = (event) => {
    if (!isOver) report.emit(event);
  };
  const limit = tool.waits === true ? null : limits.toolTimeout;
  const warn = (leftMs: number, message: string): void =>
    emit({ type: "deadline-warning", clock: "tool", callId: call.id, leftMs, message });
  try {
    return await withToolClock({ tool: tool.name, limit, signal, clock, warn }, (own) =>
      work({ ...context, signal: own, report: { ...report, emit } }),
    );
  } finally {
    isOver = true;
  }
}

function execute(
  context: LoopContext,
  {
    tool,
    call,
    input,
    real,
    confinedTo,
    hold,
    leave,
  }: {
    tool: LeafTool;
    call: ToolCall;
    input: Record<string, unknown>;
    real: ReadonlyMap<string, string>;
    confinedTo: ConfinedTo | null;
    hold: TreeHold | undefined;
    leave: (text: string) => void;
  },
): Promise<ToolOutput> {
  const search = searchFor(context);
  return tool.execute(input as never, {
    ...(search === undefined ? {} : { search }),
    ...(context.agents === undefined ? {} : { agents: context.agents }),
    ask: (questions) => askPerson(context, call, questions),
    leavePlan: (plan) => leavePlan(context, call, plan),
    wait: (arrival) => context.steps.wait(`tool/${call.id}/task`, "child", arrival),
    hasTool: (name) => context.tools.has(name),
    agentId: context.agent.id,
    agentType: context.agent.type,
    callId: call.id,
    signal: context.signal,
    workbench: context.workbench,
    mayReachPrivate: (url) => mayReachPrivate(rulebookOf(context), url),
    confinedTo,
    ...(hold === undefined ? {} : { hold }),
    realPath: (path) => real.get(path) ?? realPath(path),
    leave,
    progress: (text) => context.report.emit({ type: "tool-call-progress", callId: call.id, text }),
  });
}

/** Adds the output of an interrupted command, which is worth as much as the reason. */
function withRest(output: ToolOutput, left: string): ToolOutput {
  if (left.trim() === "" || typeof output.content !== "string") return output;
  return { ...output, content: `${output.content}\nOutput so far:\n${left}` };
}

/** Tells the model that a person edited its input. Otherwise it would read the result as that of its own call. */
function withInput(output: ToolOutput, input: Record<string, unknown> | null): ToolOutput {
  if (input === null) return output;
  const text = `A person changed this call. What ran: ${JSON.stringify(input)}`;
  const { content } = output;
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return { ...output, content: [{ type: "text", text }, ...blocks] };
}

/** Asks a person; the agent holds no slot meanwhile. */
function askPerson(
  { steps, approvals, signal }: LoopContext,
  call: ToolCall,
  questions: readonly Question[],
): Promise<QuestionReply> {
  return steps.wait(`tool/${call.id}/question`, "question", () =>
    approvals.askQuestions(call, questions, signal),
  );
}

function failure(content: string): ToolOutput {
  return { content, isError: true };
}

function interrupted(signal: AbortSignal): ToolOutput {
  return failure(`Interrupted: ${errorMessage(signal.reason)}`);
}

function unknownTool(context: LoopContext, name: string): string {
  return `There is no tool '${name}' here. Available tools: ${[...context.tools.keys()].join(", ")}`;
}

function invalidInput(tool: Tool, error: z.ZodError): string {
  const problems = error.issues.map(
    (issue) => `${issue.path.join(".") || "input"}: ${issue.message}`,
  );
  return `Invalid input for ${tool.name}: ${problems.join("; ")}. Correct the call and send it again.`;
}

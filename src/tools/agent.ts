import { z } from "zod";
import type { AgentResult } from "../agent-result.ts";
import { totalTokens, type TextBlock } from "../message.ts";
import { effortSchema } from "../spawn-request.ts";
import { usageRecord } from "../transcript/entry.ts";
import type { ChildOutcome, SpawnTool, ToolOutput } from "./tool.ts";

/** The model's manual for delegating. A field that cannot be used now is absent, because a model cannot misuse what it cannot see. */
const inputFor = (defaultType: string) =>
  z.strictObject({
    description: z.string().describe("The task in 3-5 words"),
    prompt: z.string().min(1).describe("The whole task; the agent sees nothing else"),
    subagent_type: z
      .string()
      .optional()
      .describe(`One of the listed agent types; default ${defaultType}`),
    model: z
      .string()
      .optional()
      .describe("Only to override the type's model: sonnet, opus, haiku or an id"),
    effort: effortSchema.optional(),
    mode: z
      .enum(["plan", "dontAsk", "default"])
      .optional()
      .describe("Only to narrow what it may do"),
    max_turns: z.int().positive().optional(),
  });

/** Hands a task to a child agent: translates the call into a request, and the child's outcome into a result. */
export function createAgentTool(options: { defaultType: string }): SpawnTool {
  return {
    kind: "spawn",
    name: "Agent",
    description:
      "Hands a self-contained task to a new agent and returns its report. Start independent tasks together: several calls in one turn run in parallel.",
    input: inputFor(options.defaultType),
    concurrency: "shared",
    request: (call: z.infer<ReturnType<typeof inputFor>>) => call,
    report,
  };
}

function report(child: ChildOutcome): ToolOutput {
  const { result } = child;
  const figures = [
    `subagent_tokens: ${totalTokens(result.lastUsage)}`,
    `tool_uses: ${result.toolUses}`,
    `duration_ms: ${result.durationMs}`,
  ].join("\n");
  const content: TextBlock[] = [{ type: "text", text: reportText(result) }];
  if (result.deniedCalls.length > 0) content.push({ type: "text", text: deniedText(child) });
  if (!child.oneShot) {
    content.push({ type: "text", text: `agentId: ${child.agentId}\n<usage>${figures}</usage>` });
  }
  return {
    content,
    ...(result.state === "completed" ? {} : { isError: true }),
    data: {
      status: result.state,
      prompt: child.prompt,
      agentId: child.agentId,
      agentType: child.type,
      content: [{ type: "text", text: result.content }],
      resolvedModel: child.model,
      modelDecidedBy: child.modelFrom,
      totalDurationMs: result.durationMs,
      totalTokens: totalTokens(result.lastUsage),
      totalToolUseCount: result.toolUses,
      usage: usageRecord(result.usage),
      costUsd: result.costUsd,
    },
  };
}

/** A report that falls short explains itself. */
function deniedText({ result: { deniedCalls }, background }: ChildOutcome): string {
  const lines = deniedCalls.map(
    ({ tool, reason, count }) => `- ${tool}${count === 1 ? "" : ` (${count} times)`}: ${reason}`,
  );
  const remedy = background
    ? "\nIt ran in the background. Run it again in the foreground, where somebody can answer, if it needs these."
    : "";
  return `The agent was denied:\n${lines.join("\n")}${remedy}`;
}

function reportText(result: AgentResult): string {
  const rest =
    result.contentFile === undefined ? "" : `\n[Cut. The whole report is in ${result.contentFile}]`;
  const report = `${result.content}${rest}`;
  const partial = result.content === "" ? "" : ` What it had so far:\n${report}`;
  switch (result.state) {
    case "completed":
      return report;
    case "failed":
      return `The agent failed (${result.error.code}): ${result.error.message}${partial}`;
    case "stopped":
      return `The agent was stopped: ${result.reason}${partial}`;
  }
}

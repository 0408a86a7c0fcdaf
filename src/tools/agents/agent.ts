import { z } from "zod";
import type { AgentResult } from "../../contract/agent-result.ts";
import { totalTokens, type TextBlock } from "../../contract/message.ts";
import { effortSchema, type SpawnRequestInput } from "../../contract/spawn-request.ts";
import { usageRecord } from "../../transcript/entry.ts";
import { deniedText } from "./denied-text.ts";
import { joined, text } from "../line.ts";
import type { ChildOutcome, SpawnTool, ToolOutput } from "../tool.ts";

const inBackground = z
  .boolean()
  .optional()
  .describe("Continue at once; you are notified when it ends");

interface AgentToolOptions {
  defaultType: string;
  /** Whether agents may run in the background of their parent. */
  background: boolean;
}

/** The model's manual for delegating. A field that cannot be used now is absent, because a model cannot misuse what it cannot see. */
const inputFor = ({ defaultType, background }: AgentToolOptions) =>
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
    ...(background ? { run_in_background: inBackground } : {}),
    resume: z
      .string()
      .optional()
      .describe("Id of an ended agent of yours: it resumes with its history"),
  });

/** Hands a task to a child agent: translates the call into a request, and the child's outcome into a result. */
export function createAgentTool(options: AgentToolOptions): SpawnTool {
  return {
    kind: "spawn",
    name: "Agent",
    description:
      "Hands a self-contained task to a new agent and returns its report. Start independent tasks together: several calls in one turn run in parallel.",
    input: inputFor(options),
    effect: "none",
    background: true,
    audience: "all",
    coordinates: true,
    mainField: "subagent_type",
    line: ({ subagent_type: type, description }) => joined(": ", text(type), text(description)),
    concurrency: "shared",
    request: (call: SpawnRequestInput) => call,
    report,
  };
}

function report(child: ChildOutcome): ToolOutput {
  if (child.kind === "launched") return launchReport(child);
  const { result } = child;
  const figures = [
    `subagent_tokens: ${totalTokens(result.lastUsage)}`,
    `tool_uses: ${result.toolUses}`,
    `duration_ms: ${result.durationMs}`,
  ].join("\n");
  const content: TextBlock[] = [{ type: "text", text: reportText(result) }];
  const denied = deniedText(result.deniedCalls);
  if (denied !== null) content.push({ type: "text", text: denied });
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

type Launched = Extract<ChildOutcome, { kind: "launched" }>;

function launchReport(child: Launched): ToolOutput {
  const { agentId, description, prompt, model, outputFile } = child;
  const text = `The agent runs in the background. agentId: ${agentId}\nContinue with other work: you are notified when it ends. Its output until then is in ${outputFile} (Read it, or call TaskOutput).`;
  return {
    content: [{ type: "text", text }],
    data: {
      isAsync: true,
      status: "async_launched",
      agentId,
      description,
      resolvedModel: model,
      prompt,
      outputFile,
      canReadOutputFile: true,
    },
  };
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

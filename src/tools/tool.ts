import { z } from "zod";
import type { AgentResult } from "../contract/agent-result.ts";
import type { AgentId } from "../contract/ids.ts";
import type { Question } from "../inbox/question.ts";
import type { ToolResultContent } from "../contract/message.ts";
import type { ToolSpec, WebFindings, WebQuery } from "../model/model.ts";
import type { ConfinedTo } from "../platform/sandbox/confined-to.ts";
import type { SpawnRequestInput } from "../contract/spawn-request.ts";
import type { TreeHold } from "./shell/tree-lock.ts";
import type { Tasks } from "./agents/tasks.ts";
import type { ToolTraits } from "./traits.ts";
import type { Workbench } from "./workbench.ts";

/**
 * A tool is data plus one function. A *leaf* acts and returns; a *spawn* tool only translates: its input into a
 * request for a child, the child's outcome into a result. So no tool needs to know how agents are run.
 */
export type Tool = LeafTool | SpawnTool;

interface ToolFace extends ToolTraits {
  readonly name: string;
  /** The model's manual, short. */
  readonly description: string;
  readonly input: z.ZodObject;
  /** The JSON Schema for models, as its author wrote it. Left out: made from `input`. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** `shared`: may run beside others of one turn; `alone`: in order, by itself. */
  readonly concurrency: "shared" | "alone";
}

export interface LeafTool extends ToolFace {
  readonly kind: "leaf";
  /** Whether an interrupted call may simply be repeated: running it twice does no harm. */
  readonly repeatable: boolean;
  /** Whether a call waits for a person or for other agents: such a call has no time limit. */
  readonly waits?: boolean;
  /** Paths that the call reads or writes, absolute, for the permission decision. */
  paths?(input: Record<string, unknown>, cwd: string): string[];
  /**
   * Acts. Throw `ToolFailure` (or anything) to answer with an error that the model reads; throw `signal.reason` when
   * aborted. Ends what it started before it returns, or leaves it to the workbench.
   */
  execute(input: never, context: ToolContext): Promise<ToolOutput>;
}

export interface SpawnTool extends ToolFace {
  readonly kind: "spawn";
  request(input: never): SpawnRequestInput;
  report(child: ChildOutcome): ToolOutput;
}

export type ChildOutcome = ChildFacts &
  (
    | { kind: "ended"; result: AgentResult }
    /** A child in the background: its parent is notified of its end. */
    | { kind: "launched"; outputFile: string }
  );

interface ChildFacts {
  agentId: AgentId;
  type: string;
  description: string;
  prompt: string;
  model: string;
  /** The voice that decided the model. */
  modelFrom: string;
  oneShot: boolean;
  /** Whether the parent does not wait for it. */
  background: boolean;
}

export interface ToolOutput {
  content: ToolResultContent;
  isError?: boolean;
  /** The structured result, for programs: `toolUseResult` in transcripts. */
  data?: unknown;
}

/** The outcome of questions to a person. `none`: no person can or wants to answer; the reason is a sentence. */
export type QuestionReply =
  | { readonly kind: "answers"; readonly answers: Readonly<Record<string, string | string[]>> }
  | { readonly kind: "none"; readonly reason: string };

/** The outcome of a plan. `stays`: approved or not, the agent must continue planning. */
export type PlanReply =
  | { readonly kind: "approved"; readonly mode: string; readonly plan: string }
  | { readonly kind: "denied"; readonly message: string }
  | { readonly kind: "nobody" | "stays" };

export interface ToolContext {
  readonly agentId: AgentId;
  readonly agentType: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** State of this agent between calls: shell directory, files it has read, todos, processes. */
  readonly workbench: Workbench;
  /** The limit of a command that needed no approval, for the tight sandbox; absent or `null`: it was approved. */
  readonly confinedTo?: ConfinedTo | null;
  /** The hold of a command that needed no approval on the files around it, until the call ends or later. */
  readonly hold?: TreeHold;
  /** Lets the model's provider search the web; its usage is counted. Absent where it cannot. */
  search?(
    query: Omit<WebQuery, "model" | "rest">,
  ): Promise<Pick<WebFindings, "text" | "links" | "problems">>;
  /** Asks the user of the agent. Absent if there is no person. Rejects with `signal.reason` when aborted. */
  ask?(questions: readonly Question[]): Promise<QuestionReply>;
  /**
   * Asks whether the agent may carry out its plan. Absent if no person can be asked. Rejects with `signal.reason` when
   * aborted.
   */
  leavePlan?(plan: { plan: string; filePath: string }): Promise<PlanReply>;
  /** The agents that this one may see; absent where there are none. */
  readonly agents?: Tasks;
  /** Waits for others: meanwhile the agent holds no slot and its clock stops. */
  wait?<Result>(arrival: () => Promise<Result>): Promise<Result>;
  /** Whether the agent has a tool, for texts that would name it. */
  hasTool?(name: string): boolean;
  /** Whether the rules let this address lead to one that is not public. Absent: no. */
  mayReachPrivate?(url: string): boolean;
  /** A path without links, as it was when the call was allowed. */
  realPath(path: string): string;
  /** Leaves a text for a call that ends because its signal aborted; the model reads it after the reason. */
  leave?(text: string): void;
  /** Shows output of a running call to observers. Never blocks. */
  progress(text: string): void;
}

/** A failure that the model should read and can act on. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

/** Ties the type of `execute` to the schema, so that each tool writes its input's shape once. */
export function leafTool<Schema extends z.ZodObject>(
  tool: Omit<LeafTool, "kind" | "input" | "execute" | "paths"> & {
    input: Schema;
    paths?(input: z.infer<Schema>, cwd: string): string[];
    execute(input: z.infer<Schema>, context: ToolContext): Promise<ToolOutput>;
  },
): LeafTool {
  return { ...tool, kind: "leaf" } as unknown as LeafTool;
}

const specs = new WeakMap<Tool, ToolSpec>();

/** The tool as the model sees it: its JSON schema without the parts that only validators need. */
export function toolSpec(tool: Tool): ToolSpec {
  let spec = specs.get(tool);
  if (spec === undefined) {
    const input_schema = tool.schema ?? schemaFrom(tool.input);
    spec = { name: tool.name, description: tool.description, input_schema };
    specs.set(tool, spec);
  }
  return spec;
}

function schemaFrom(input: z.ZodObject): Readonly<Record<string, unknown>> {
  const {
    $schema: _,
    additionalProperties: __,
    ...schema
  } = z.toJSONSchema(input, { io: "input" });
  return schema;
}

import type { AgentId, SessionId } from "./ids.ts";
import type { Attachment } from "./message.ts";

/**
 * One agent, fully decided: what every definition, request, setting and parent had to say is already in it.
 * Frozen, serialisable, and the only thing that the lifecycle and the loop know of an agent. Each group is one of
 * the five things that a definition shapes. `type` and `name` are for printing; no code asks for them.
 */
export interface ResolvedAgent {
  readonly id: AgentId;
  readonly sessionId: SessionId;
  readonly type: string;
  readonly name: string | null;
  readonly description: string;
  readonly color: string | null;
  readonly cwd: string;

  /** What it sees. */
  readonly sees: {
    readonly system: string;
    /** In front of its first prompt. */
    readonly attachments: readonly Attachment[];
    /** After every tool result. */
    readonly reminder: string | null;
  };

  /** What it can do. */
  readonly can: {
    /** Names, in the order in which the model sees them. */
    readonly tools: readonly string[];
    readonly spawn: SpawnRights;
  };

  /** How it meets the user. */
  readonly meets: {
    readonly permissions: PermissionPolicy;
  };

  /** How it relates to its parent. */
  readonly relates: {
    readonly parentId: AgentId | null;
    /** The parent's tool call that asked for it. */
    readonly toolUseId: string | null;
    /** 0 for the main agent. */
    readonly depth: number;
    readonly background: boolean;
    /** Its answer carries no trailer for continuing it. */
    readonly oneShot: boolean;
  };

  /** What it costs. */
  readonly costs: {
    readonly model: string;
    /** Which of the voices decided the model. */
    readonly modelFrom: string;
    readonly maxTurns: number;
    /** Wall clock in milliseconds; stands still while the agent waits. */
    readonly timeout: number;
  };

  /** Why each tool is there or not. */
  readonly toolReport: readonly ToolDecision[];
}

export type SpawnRights =
  | { readonly allowed: false }
  | { readonly allowed: true; readonly types: readonly string[] | "any" };

export interface PermissionPolicy {
  /** `plan`: it must not change files, whatever is allowed. */
  readonly mode: "default" | "plan";
  /** Tools that its definition confines to a rule: tool → the rule. */
  readonly confined: Readonly<Record<string, string>>;
  /** Tools that may run without being asked. */
  readonly allowedTools: readonly string[];
  /** Directories in which reading needs no approval: the working directory and the session's own results. */
  readonly readableDirectories: readonly string[];
}

export interface ToolDecision {
  readonly tool: string;
  readonly kept: boolean;
  readonly why: string;
}

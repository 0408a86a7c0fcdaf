import type { AgentId, SessionId } from "./ids.ts";
import type { Attachment } from "./message.ts";
import type { Effort } from "./spawn-request.ts";

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
    /** What its commands find in their environment besides ours. */
    readonly env: Readonly<Record<string, string>>;
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
    /** How hard it thinks, when somebody said so. */
    readonly effort: Effort | null;
    /** Fresh children do not think unless an effort asks for it; the main agent does as its model does. */
    readonly thinks: boolean;
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

/**
 * `plan`: it must not change files, whatever is allowed. `bypassPermissions`: everything may run; only for machines
 * that can be lost.
 */
export type PermissionMode = "default" | "plan" | "bypassPermissions";

export interface PermissionPolicy {
  readonly mode: PermissionMode;
  /** Tools that its definition confines to a rule: tool → the rule. */
  readonly confined: Readonly<Record<string, string>>;
  /** Tools that it has only for the directory of its memory. Not handed on to children. */
  readonly memory: { readonly directory: string; readonly tools: readonly string[] } | null;
  /** Rules of the settings that come before everything else. */
  readonly forbidding: readonly Forbidding[];
  /** What relative paths in those rules may be relative to: any of these. */
  readonly ruleRoots: readonly string[];
  /** Tools that may run without being asked. */
  readonly allowedTools: readonly string[];
  /** Directories in which reading needs no approval: the working directory and the session's own results. */
  readonly readableDirectories: readonly string[];
}

/** A rule of the settings that forbids calls, or wants somebody to be asked, which nobody can be yet. */
export interface Forbidding {
  readonly rule: string;
  readonly tool: string;
  /** What stands between the parentheses; `null`: the whole tool. */
  readonly specifier: string | null;
  readonly kind: "deny" | "ask";
}

export interface ToolDecision {
  readonly tool: string;
  readonly kept: boolean;
  /** Which layer decided. */
  readonly layer: string;
  readonly why: string;
}

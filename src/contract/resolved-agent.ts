import type { AgentId, SessionId } from "./ids.ts";
import type { Attachment } from "./message.ts";
import type { Effort } from "./spawn-request.ts";

/**
 * The directory and branch that an agent works in. Decided before the agent is resolved, and stored: a resumed agent
 * keeps its workspace.
 */
export interface Workspace {
  readonly cwd: string;
  /** Working directories: `cwd`, and those with the same rights. */
  readonly directories: readonly string[];
  /** Branch that was checked out when the work began. */
  readonly branch: string | null;
}

/**
 * One agent, fully decided: every definition, request, setting and parent is already taken into account. Frozen,
 * serialisable, and all that the lifecycle and the loop know of an agent. Each group is one of the five things that a
 * definition shapes. `type` and `name` are for display; no code branches on them.
 */
export interface ResolvedAgent {
  readonly id: AgentId;
  readonly sessionId: SessionId;
  readonly type: string;
  readonly name: string | null;
  readonly description: string;
  readonly color: string | null;
  readonly workspace: Workspace;
  /** Hash of the definition's content. */
  readonly definitionHash: string;

  /** The prompts of the agent. */
  readonly sees: {
    readonly system: string;
    /** Attachments in front of the first prompt. */
    readonly attachments: readonly Attachment[];
    /** Text after every tool result. */
    readonly reminder: string | null;
  };

  /** The tools and spawn rights of the agent. */
  readonly can: {
    /** Names, in the order in which the model sees them. */
    readonly tools: readonly string[];
    readonly spawn: SpawnRights;
  };

  /** The permissions and environment of the agent. */
  readonly meets: {
    readonly permissions: PermissionPolicy;
    /** Record of how the mode in `permissions` was decided. */
    readonly mode: ModeRecord;
    /** Variables that are added to the environment of its commands. */
    readonly env: Readonly<Record<string, string>>;
    /** Names of our credentials that its commands may read. */
    readonly passes: readonly string[];
  };

  /** The place of the agent below its parent. */
  readonly relates: {
    readonly parentId: AgentId | null;
    /** The parent's tool call that requested the agent. */
    readonly toolUseId: string | null;
    /** Depth; 0 for the main agent. */
    readonly depth: number;
    /** Names from the main agent down to this one, for display. */
    readonly path: readonly string[];
    readonly background: boolean;
    /** Whether the result does not say how to resume the agent. */
    readonly oneShot: boolean;
  };

  /** The model and limits of the agent. */
  readonly costs: {
    readonly model: string;
    /** Provider whose limits apply: the one in `provider/model`, else that of the session's own model. */
    readonly provider: string;
    /** Source that decided the model. */
    readonly modelFrom: string;
    /** Thinking effort, if one was set. */
    readonly effort: Effort | null;
    /**
     * Whether the agent thinks. Fresh children think only if an effort is set; the main agent does what its model does.
     */
    readonly thinks: boolean;
    readonly maxTurns: number;
    /** Wall-clock limit in milliseconds; the clock is stopped while the agent waits. */
    readonly timeout: number;
    /** Priority in the queue for a slot; higher goes first, 0 is usual. */
    readonly priority: number;
  };

  /** Reasons why each tool is present or absent. */
  readonly toolReport: readonly ToolDecision[];
}

export type SpawnRights =
  | { readonly allowed: false }
  | { readonly allowed: true; readonly types: readonly string[] | "any" };

/**
 * Permission mode: the treatment of calls that no rule decides. `acceptEdits`: files in the working directories may be
 * changed. `plan`: files must not be changed, whatever is allowed. `dontAsk`: calls that would be asked about are
 * denied. `bypassPermissions`: everything may run; only for machines that can be lost. `bubble`: questions go to the
 * host's inbox also from the background. `delegate`: the agent only works through other agents. `auto`: automated
 * checks answer first; otherwise as `default`.
 */
export type PermissionMode = (typeof permissionModes)[number];

export const permissionModes = [
  "default",
  "acceptEdits",
  "plan",
  "dontAsk",
  "bypassPermissions",
  "bubble",
  "delegate",
  "auto",
] as const;

/** Modes in which an agent works itself. */
export type WorkingMode = Exclude<PermissionMode, "delegate">;

/** The source that decided the mode of an agent. */
export type ModeVoice = "session" | "parent" | "definition" | "call" | "host";

/** Facts that follow from an agent's mode and the modes above it, besides the mode itself. */
export interface ModeRecord {
  readonly from: ModeVoice;
  /** Mode that was requested and refused, for display; `null`: none. */
  readonly refused: string | null;
  /** Whether no person is asked: the agent, or one above it, is in `dontAsk`. */
  readonly neverAsks: boolean;
  /** Mode of the children, unless it is narrowed. Differs from the agent's own only in `delegate`. */
  readonly children: WorkingMode;
  /** Mode that an approved plan returns the agent to; `null`: it stays in `plan`. */
  readonly afterPlan: WorkingMode | null;
  /** The session's own mode at the time of the decision. */
  readonly session: PermissionMode;
}

export interface PermissionPolicy {
  readonly mode: PermissionMode;
  /** Rules of settings, the command line and the host, in no particular order: deny beats ask beats allow. */
  readonly rules: readonly SourcedRule[];
  /** Whether grants for the session apply to this agent too. */
  readonly takesSessionGrants: boolean;
  /** Tools that its definition, or an ancestor's, limits to some rules. Every limit must be met. */
  readonly confined: readonly Confinement[];
  /** The memory of the agent. Children do not inherit it. */
  readonly memory: AgentMemory | null;
  /** Directory that `/x` in a rule is relative to. */
  readonly project: string;
  /** Whether the user trusts the folder: programs such as git may then act on its configuration. */
  readonly trusted: boolean;
  /** Directory that `x` in a rule is relative to. */
  readonly cwd: string;
  /** Working directories: `cwd` and those that settings add. */
  readonly directories: readonly string[];
  /** Directories of Retinue's settings, grants and transcripts: always protected. */
  readonly own: readonly string[];
  /**
   * Directories protected even from an agent that works inside them: no agent may touch the leases, open requests and
   * grants below.
   */
  readonly state: readonly string[];
  /** Further directories in which reading needs no approval: the session's own results. */
  readonly readable: readonly string[];
}

/** Notes of an agent, and the tools for them. */
export interface AgentMemory {
  /** Real path, without links; `null`: the agent had a directory when it began and has none now. */
  readonly directory: string | null;
  /** Tools that the agent has only for its notes. */
  readonly tools: readonly string[];
}

/** A rule as written, with its source. */
export interface SourcedRule {
  readonly kind: "deny" | "ask" | "allow";
  /** `Tool` or `Tool(specifier)` */
  readonly rule: string;
  /** File, option or grant, for display. */
  readonly source: string;
}

/** The limits that a definition sets for an agent and its descendants. */
export type Confinement = RuleConfinement | ReadOnlyConfinement;

export interface RuleConfinement {
  readonly tools: readonly string[];
  /** Rules of which one must cover a call. */
  readonly rules: readonly string[];
}

/**
 * Confines an agent to reading: no edits, and only commands that look. `unless-allowed`: commands that a rule or a
 * person allows run too.
 */
export interface ReadOnlyConfinement {
  readonly readOnly: ReadOnly;
}

export type ReadOnly = true | "unless-allowed";

export interface ToolDecision {
  readonly tool: string;
  readonly kept: boolean;
  /** Layer that decided. */
  readonly layer: string;
  readonly why: string;
}

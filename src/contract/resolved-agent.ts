import type { AgentId, SessionId } from "./ids.ts";
import type { Attachment } from "./message.ts";
import type { Effort } from "./spawn-request.ts";

/** Where an agent works. Decided before the agent is resolved, and stored: a resumed agent works where it worked. */
export interface Workspace {
  readonly cwd: string;
  /** The working directories: `cwd`, and those that count like it. */
  readonly directories: readonly string[];
  /** The branch that was checked out when the work began. */
  readonly branch: string | null;
}

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
  readonly workspace: Workspace;
  /** Stands for the content of its definition. */
  readonly definitionHash: string;

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
    /** The record of how the mode in `permissions` was settled. */
    readonly mode: ModeRecord;
    /** What its commands find in their environment besides ours. */
    readonly env: Readonly<Record<string, string>>;
    /** Names of our credentials that its commands find there too. */
    readonly passes: readonly string[];
  };

  /** How it relates to its parent. */
  readonly relates: {
    readonly parentId: AgentId | null;
    /** The parent's tool call that asked for it. */
    readonly toolUseId: string | null;
    /** 0 for the main agent. */
    readonly depth: number;
    /** From the main agent to itself, for people. */
    readonly path: readonly string[];
    readonly background: boolean;
    /** Its answer carries no trailer for continuing it. */
    readonly oneShot: boolean;
  };

  /** What it costs. */
  readonly costs: {
    readonly model: string;
    /** The provider that limits count it for: the one in `provider/model`, else that of the session's own model. */
    readonly provider: string;
    /** Which of the voices decided the model. */
    readonly modelFrom: string;
    /** How hard it thinks, when somebody said so. */
    readonly effort: Effort | null;
    /** Fresh children do not think unless an effort asks for it; the main agent does as its model does. */
    readonly thinks: boolean;
    readonly maxTurns: number;
    /** Wall clock in milliseconds; stands still while the agent waits. */
    readonly timeout: number;
    /** Who goes first when agents wait for a slot; higher does, 0 is usual. */
    readonly priority: number;
  };

  /** Why each tool is there or not. */
  readonly toolReport: readonly ToolDecision[];
}

export type SpawnRights =
  | { readonly allowed: false }
  | { readonly allowed: true; readonly types: readonly string[] | "any" };

/**
 * How an agent meets what nobody has allowed. `acceptEdits`: files in its working directories may be changed. `plan`: it must
 * not change files, whatever is allowed. `dontAsk`: what would be asked is denied. `bypassPermissions`: everything may run; only
 * for machines that can be lost. `bubble`: questions go to the host's inbox also from the background. `delegate`: it only works
 * through other agents. `auto`: automated checks answer first; otherwise as `default`.
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

/** Every mode in which an agent works itself. */
export type WorkingMode = Exclude<PermissionMode, "delegate">;

/** The voice that decided the mode of an agent. */
export type ModeVoice = "session" | "parent" | "definition" | "call" | "host";

/** Facts that follow from an agent's mode and the modes above it, besides the mode itself. */
export interface ModeRecord {
  readonly from: ModeVoice;
  /** The mode that was asked for and not given, for people; `null`: none. */
  readonly refused: string | null;
  /** No person is asked for it: it, or an agent above it, is in `dontAsk`. */
  readonly neverAsks: boolean;
  /** The mode of its children, unless somebody narrows it. Another than its own only in `delegate`. */
  readonly children: WorkingMode;
  /** The mode that an approved plan returns it to; `null`: it stays in `plan`. */
  readonly afterPlan: WorkingMode | null;
  /** The session's own mode when this was settled. */
  readonly session: PermissionMode;
}

export interface PermissionPolicy {
  readonly mode: PermissionMode;
  /** Of settings, the command line and the host, in no particular order: deny beats ask beats allow. */
  readonly rules: readonly SourcedRule[];
  /** What a person has allowed for the session counts for it too. */
  readonly takesSessionGrants: boolean;
  /** Tools that its definition, or one it descends from, confines to some rules. Each must hold. */
  readonly confined: readonly Confinement[];
  /** Its memory. Not handed on to children. */
  readonly memory: AgentMemory | null;
  /** What `/x` in a rule lies below. */
  readonly project: string;
  /** The user trusts the folder: programs may act on its configuration, as git does. */
  readonly trusted: boolean;
  /** What `x` in a rule lies below. */
  readonly cwd: string;
  /** The working directories: the one above and those that settings add. */
  readonly directories: readonly string[];
  /** Where Retinue keeps settings, grants and transcripts: protected, wherever it is. */
  readonly own: readonly string[];
  /** The same, also for an agent that works in there: leases, open requests and grants below are for no agent. */
  readonly state: readonly string[];
  /** Further directories in which reading needs no approval: the session's own results. */
  readonly readable: readonly string[];
}

/** Notes of an agent, and what it may use for them. */
export interface AgentMemory {
  /** A real path, without links; `null`: it had one when it began and has none now. */
  readonly directory: string | null;
  /** Tools that it has only for that. */
  readonly tools: readonly string[];
}

/** A rule as somebody wrote it, and where. */
export interface SourcedRule {
  readonly kind: "deny" | "ask" | "allow";
  /** `Tool` or `Tool(specifier)` */
  readonly rule: string;
  /** A file, an option, a grant: for people. */
  readonly source: string;
}

/** The limits that a definition sets for an agent and its descendants. */
export type Confinement = RuleConfinement | ReadOnlyConfinement;

export interface RuleConfinement {
  readonly tools: readonly string[];
  /** One of them must cover a call. */
  readonly rules: readonly string[];
}

/** Nothing is edited, and commands only look. `unless-allowed`: or run what a rule or a person allows. */
export interface ReadOnlyConfinement {
  readonly readOnly: ReadOnly;
}

export type ReadOnly = true | "unless-allowed";

export interface ToolDecision {
  readonly tool: string;
  readonly kept: boolean;
  /** Which layer decided. */
  readonly layer: string;
  readonly why: string;
}

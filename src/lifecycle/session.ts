import type { EventBus } from "../events/bus.ts";
import type { SessionId } from "../contract/ids.ts";
import type { Denials } from "../inbox/denials.ts";
import type { Grants } from "../inbox/grants.ts";
import type { Inbox } from "../inbox/inbox.ts";
import type { GrantScope } from "../inbox/request.ts";
import type { Models } from "../model/models.ts";
import type { PriceOverrides } from "../model/prices.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/logger.ts";
import type { DiskSync } from "../transcript/disk-sync.ts";
import type { Limits, Settings } from "../settings/settings.ts";
import type { SessionSandbox } from "../platform/sandbox/session-sandbox.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { Tool } from "../tools/tool.ts";
import type { TreeLock } from "../tools/shell/tree-lock.ts";
import type { FileLedger } from "../tools/files/file-state.ts";
import type { HeldLease } from "../transcript/lease/take-lease.ts";
import type { SessionPaths } from "../transcript/paths.ts";
import type { Envelope } from "../transcript/entry.ts";
import type { Family } from "./family.ts";
import type { Life } from "./life.ts";
import type { Slots } from "./queue/slots.ts";

/** The state that all agents of one session share. */
export interface Session {
  readonly id: SessionId;
  readonly paths: SessionPaths;
  /** Lease that makes this process the session's owner. */
  readonly lease: HeldLease;
  /** Sync of files to the disk itself, with `durability: "power"`. */
  readonly disk: DiskSync | undefined;
  /** Fields that every transcript line of the session carries. */
  readonly envelope: Omit<Envelope, "isSidechain" | "agentId">;
  readonly models: Models;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly limits: Limits;
  readonly settings: Settings;
  readonly prices: PriceOverrides;
  /** Questions of all agents. */
  readonly inbox: Inbox;
  /** Grants since the session began. */
  readonly grants: Grants;
  readonly denials: Denials;
  /**
   * Judges of the running agents, by id: each decides a call with further rules, from its agent's present directory.
   */
  readonly judges: Map<string, Judge>;
  readonly life: Life;
  /** Whether agents and commands may run in the background. */
  readonly allowsBackground: boolean;
  readonly slots: Slots;
  readonly bus: EventBus;
  readonly ledger: FileLedger;
  readonly tree: TreeLock;
  /** Sandbox for commands, if the settings ask for one. */
  readonly sandbox: SessionSandbox | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Redactor for stored and emitted texts; the input of models and tools is not redacted. */
  readonly redactor: Redactor;
  /** The session's other agents, for the run of one. */
  readonly family: Family;
}

/** Decides whether a call would run if these rules were granted too, in this scope. */
export type Judge = (
  rules: readonly string[],
  call: { tool: string; input: Record<string, unknown> },
  scope: GrantScope,
) => boolean;

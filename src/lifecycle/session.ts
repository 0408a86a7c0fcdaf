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

/** What all agents of one session share. */
export interface Session {
  readonly id: SessionId;
  readonly paths: SessionPaths;
  /** What makes the session this process's own. */
  readonly lease: HeldLease;
  /** The way of files to the disk itself, with `durability: "power"`. */
  readonly disk: DiskSync | undefined;
  /** What every transcript line of the session says of itself. */
  readonly envelope: Omit<Envelope, "isSidechain" | "agentId">;
  readonly models: Models;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly limits: Limits;
  readonly settings: Settings;
  readonly prices: PriceOverrides;
  /** Every question of every agent. */
  readonly inbox: Inbox;
  /** What people have allowed since the session began. */
  readonly grants: Grants;
  readonly denials: Denials;
  /** How each running agent judges a call with further rules: where it works now is its own business. */
  readonly judges: Map<string, Judge>;
  readonly life: Life;
  /** Whether agents and commands may run while nobody waits for them. */
  readonly allowsBackground: boolean;
  readonly slots: Slots;
  readonly bus: EventBus;
  readonly ledger: FileLedger;
  readonly tree: TreeLock;
  /** Where commands run, if the settings say so. */
  readonly sandbox: SessionSandbox | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What is stored or told goes through it; what models and tools are given does not. */
  readonly redactor: Redactor;
  /** The session's other agents, for the run of one. */
  readonly family: Family;
}

/** Whether a call would run if these rules were allowed too, for so long. */
export type Judge = (
  rules: readonly string[],
  call: { tool: string; input: Record<string, unknown> },
  scope: GrantScope,
) => boolean;

import { figuresOf } from "../agent-result.ts";
import type { AgentEvent } from "../events/event.ts";
import { addUsage, noUsage, totalTokens, type Usage } from "../message.ts";
import { addCost } from "../model/prices.ts";
import { processStart } from "../platform/process-start.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import { tellsEnd } from "../transcript/ended-agent.ts";
import type { AgentMeta } from "../transcript/meta.ts";
import { writeMeta } from "../transcript/write-meta.ts";
import { nextState } from "./agent-state.ts";
import type { Taken } from "./past.ts";
import type { Session } from "./session.ts";

/** Keeps the file beside the transcript true: written whenever the agent's state changes. */
export class MetaKeeper {
  readonly #path: string;
  readonly #standing: boolean;
  #meta: AgentMeta;
  /** As the file has it. */
  #written: AgentMeta | undefined;
  /** How long the file is; 0 while there is none. */
  #length = 0;
  #started = false;
  /** The file tells of the run under way: another process may have written what is there. */
  #isCurrent = false;
  #costs: ResolvedAgent["costs"];
  /** What earlier runs took. */
  #before: Usage;
  #lastTool: string | null = null;

  constructor(
    agent: ResolvedAgent,
    session: Session,
    {
      standing,
      earlier,
    }: { standing: boolean; earlier?: { meta: AgentMeta; metaLength: number } | undefined },
  ) {
    const { relates } = agent;
    this.#standing = standing;
    const known = earlier?.meta.retinue;
    this.#costs = agent.costs;
    this.#before = known?.end?.usage ?? noUsage;
    this.#started = known !== undefined;
    this.#length = earlier?.metaLength ?? 0;
    this.#written = earlier?.meta;
    this.#path = relates.depth === 0 ? session.paths.mainMeta : session.paths.meta(agent.id);
    this.#meta = {
      agentType: agent.type,
      description: agent.description,
      ...(relates.toolUseId === null ? {} : { toolUseId: relates.toolUseId }),
      spawnDepth: relates.depth,
      retinue: {
        agentId: agent.id,
        sessionId: session.id,
        name: agent.name === null ? null : session.redactor.text(agent.name),
        parentId: relates.parentId,
        model: agent.costs.model,
        scripted: session.model.scripted,
        cwd: agent.cwd,
        pid: process.pid,
        pidStart: ownStart,
        background: relates.background,
        state: known?.state ?? "queued",
        startedAt: known?.startedAt ?? session.clock.now(),
        ...sumsOf(known),
      },
    };
  }

  /** The file says how the last run ended. */
  get tellsEnd(): boolean {
    return this.#written !== undefined && tellsEnd(this.#written);
  }

  /** A run begins, perhaps on another model, or for another call of the parent. `before`: what earlier ones took. */
  begin({ costs, relates }: ResolvedAgent, before: Usage): void {
    const { model } = costs;
    const { background } = relates;
    this.#costs = costs;
    this.#before = before;
    this.#isCurrent = false;
    this.#written = undefined;
    this.#meta = {
      ...this.#meta,
      ...(relates.toolUseId === null ? {} : { toolUseId: relates.toolUseId }),
      retinue: { ...this.#meta.retinue, model, background, state: "queued" },
    };
  }

  /** What a run took that never said how it ended, and that nobody goes on with. */
  count({ turns, toolUses, usage, costUsd }: Taken): void {
    const { retinue } = this.#meta;
    this.#meta = {
      ...this.#meta,
      retinue: {
        ...retinue,
        turns: (retinue.turns ?? 0) + turns,
        toolUses: (retinue.toolUses ?? 0) + toolUses,
        tokens: (retinue.tokens ?? 0) + totalTokens(usage),
        costUsd: addCost(retinue.costUsd === undefined ? 0 : retinue.costUsd, costUsd),
      },
    };
  }

  /** The clock starts when the agent first leaves the line. With a new task, how the last one ended is over. */
  #startOf(event: AgentEvent): Partial<AgentMeta["retinue"]> {
    if (event.type !== "agent-start") return {};
    const first = !this.#started;
    this.#started = true;
    return { ...(first ? { startedAt: event.at } : {}), endedAt: undefined, error: undefined };
  }

  /** What the file has to say because of an event; nothing if it says so already. */
  change(event: AgentEvent): MetaChange | undefined {
    if (event.type === "tool-call-start") this.#lastTool = event.call.name;
    const before = this.#meta.retinue;
    const state = nextState(before.state, event, this.#standing);
    const moves = event.type === "agent-background";
    const same = state === before.state && this.#length > 0 && this.#isCurrent;
    if (same && event.type !== "agent-end" && !moves) return undefined;
    const meta: AgentMeta = {
      ...this.#meta,
      retinue: {
        ...before,
        state: state === "interrupted" ? "queued" : state,
        ...(moves ? { background: true } : {}),
        ...this.#startOf(event),
        ...endOf(event, before),
        ...this.#furtherEnd(event),
      },
    };
    this.#meta = meta;
    this.#isCurrent = true;
    return {
      path: this.#path,
      meta,
      write: () => {
        this.#length = writeMeta(this.#path, meta, this.#length);
        this.#written = meta;
      },
    };
  }

  /** Of an agent that takes no more tasks: what is asked about it once it is no longer in memory. */
  #furtherEnd(event: AgentEvent): Partial<AgentMeta["retinue"]> {
    if (event.type !== "agent-end") return {};
    const { modelFrom, maxTurns } = this.#costs;
    const { state, end } = this.#meta.retinue;
    return {
      end: {
        modelFrom,
        maxTurns,
        lastTool: this.#lastTool,
        usage:
          state === "idle" ? (end?.usage ?? noUsage) : addUsage(this.#before, event.result.usage),
        figures: figuresOf(event.result),
      },
    };
  }
}

export interface MetaChange {
  path: string;
  meta: AgentMeta;
  /** Throws the file system's error. */
  write: () => void;
}

/** What its earlier runs took. */
function sumsOf(earlier: AgentMeta["retinue"] | undefined): Partial<AgentMeta["retinue"]> {
  if (earlier === undefined) return {};
  const { turns, toolUses, tokens, costUsd, end } = earlier;
  return { turns, toolUses, tokens, costUsd, end };
}

/** Figures add up over the tasks of a standing agent. */
function endOf(event: AgentEvent, before: AgentMeta["retinue"]): Partial<AgentMeta["retinue"]> {
  if (event.type !== "agent-end") return {};
  const { result } = event;
  const between = before.state === "idle";
  const sum = (past: number | undefined, more: number): number =>
    (past ?? 0) + (between ? 0 : more);
  return {
    endedAt: event.at,
    turns: sum(before.turns, result.turns),
    toolUses: sum(before.toolUses, result.toolUses),
    tokens: sum(before.tokens, totalTokens(result.usage)),
    costUsd: addCost(
      before.costUsd === undefined ? 0 : before.costUsd,
      between ? 0 : result.costUsd,
    ),
    ...(result.state === "failed" ? { error: result.error } : {}),
  };
}

const ownStart = processStart(process.pid);

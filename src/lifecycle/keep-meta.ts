import type { AgentEvent } from "../events/event.ts";
import { totalTokens } from "../message.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import { processStart } from "../platform/process-table.ts";
import { writeMeta, type AgentMeta } from "../transcript/meta.ts";
import type { Session } from "./session.ts";

/** Keeps the file beside the transcript true: written when the agent appears, starts and ends. */
export class MetaKeeper {
  readonly #path: string;
  readonly #standing: boolean;
  #meta: AgentMeta;

  constructor(agent: ResolvedAgent, session: Session, standing: boolean) {
    const { relates } = agent;
    this.#standing = standing;
    this.#path = relates.depth === 0 ? session.paths.mainMeta : session.paths.meta(agent.id);
    this.#meta = {
      agentType: agent.type,
      description: agent.description,
      ...(relates.toolUseId === null ? {} : { toolUseId: relates.toolUseId }),
      spawnDepth: relates.depth,
      retinue: {
        agentId: agent.id,
        sessionId: session.id,
        name: agent.name,
        parentId: relates.parentId,
        model: agent.costs.model,
        scripted: session.model.scripted,
        cwd: agent.cwd,
        pid: process.pid,
        pidStart: ownStart,
        state: "queued",
        startedAt: session.clock.now(),
      },
    };
  }

  async apply(event: AgentEvent): Promise<void> {
    const change = this.#change(event);
    if (change === undefined) return;
    this.#meta = { ...this.#meta, retinue: { ...this.#meta.retinue, ...change } };
    await writeMeta(this.#path, this.#meta);
  }

  #change(event: AgentEvent): Partial<AgentMeta["retinue"]> | undefined {
    switch (event.type) {
      case "agent-queued":
        return { state: "queued" };
      case "agent-start":
        return { state: "running" };
      case "agent-idle":
        return { state: "idle" };
      case "agent-end": {
        const { result } = event;
        return {
          state: this.#standing && result.state !== "stopped" ? "idle" : result.state,
          endedAt: event.at,
          turns: result.turns,
          toolUses: result.toolUses,
          tokens: totalTokens(result.usage),
          ...(result.state === "failed" ? { error: result.error } : {}),
        };
      }
      default:
        return undefined;
    }
  }
}

const ownStart = processStart(process.pid);

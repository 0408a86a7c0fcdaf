import type { AgentId } from "../ids.ts";
import type { Usage } from "../message.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import { Tally } from "./tally.ts";

/**
 * Keeps a session that runs for days from growing with every agent that it ever had: an agent that has ended leaves memory,
 * and is read back from its files when somebody asks. What those that left took stays in the sums.
 *
 * An agent leaves only when its files can tell what it was, after all its children, and never when it is the main agent: so
 * whoever walks from a known agent to its parent finds it.
 */
export class EndedAgents {
  readonly #options: EndedAgentsOptions;
  /** They would have left, but something still needs them. */
  readonly #needed = new Set<AgentId>();
  /** How many children of an agent are known. */
  readonly #children = new Map<AgentId, number>();
  /** What all agents that left took. */
  readonly left: Tally = new Tally();

  constructor(options: EndedAgentsOptions) {
    this.#options = options;
  }

  /** An agent became known. */
  enter({ agent }: KnownAgent): void {
    const { parentId } = agent.relates;
    if (parentId !== null) this.#children.set(parentId, (this.#children.get(parentId) ?? 0) + 1);
  }

  /** An agent was read from its files, to go on. It may have left here, or be of another process. */
  comeBack(running: KnownAgent): void {
    const { agent, endedAt } = running;
    this.enter(running);
    this.takeBack({ type: agent.type, endedAt, ...takenBy(running) });
  }

  /** Whoever left, if it left here, is no longer part of the sums. */
  takeBack(one: AgentThatLeft): void {
    const { type, endedAt } = one;
    const { openedAt } = this.#options;
    if (endedAt === undefined || (openedAt !== null && endedAt <= openedAt)) return;
    this.left.subtract(type, one);
  }

  /** An agent was removed: nothing of it is left. */
  remove({ agent }: KnownAgent): void {
    this.#needed.delete(agent.id);
    if (agent.relates.parentId !== null) this.#leaveParent(agent.relates.parentId);
  }

  /** A run of an agent has ended. One that can take another task is left alone. */
  note(running: KnownAgent): void {
    const { id, type, relates } = running.agent;
    this.#needed.delete(id);
    if (!running.hasEnded) return;
    if (relates.depth === 0 || this.#children.has(id) || !running.files.tellEnd) {
      this.#needed.add(id);
      return;
    }
    this.#options.letGo(id);
    this.left.add(type, takenBy(running));
    if (relates.parentId !== null) this.#leaveParent(relates.parentId);
  }

  #leaveParent(parentId: AgentId): void {
    const left = (this.#children.get(parentId) ?? 1) - 1;
    if (left > 0) {
      this.#children.set(parentId, left);
      return;
    }
    this.#children.delete(parentId);
    const parent = this.#needed.has(parentId) ? this.#options.known(parentId) : undefined;
    if (parent !== undefined) this.note(parent);
  }
}

/** As much of a running agent as it takes to let go of it. */
export interface KnownAgent {
  readonly agent: Pick<ResolvedAgent, "id" | "type"> & {
    readonly relates: Pick<ResolvedAgent["relates"], "parentId" | "depth">;
  };
  /** Whether they tell what it was and how it ended. */
  readonly files: { readonly tellEnd: boolean };
  readonly hasEnded: boolean;
  readonly endedAt: number | undefined;
  usage(now: number): Usage;
  costUsd(now: number): number | null;
}

export interface EndedAgentsOptions {
  /** Whatever ended before is of another process; null: there was none. */
  readonly openedAt: number | null;
  readonly known: (id: AgentId) => KnownAgent | undefined;
  readonly letGo: (id: AgentId) => void;
}

/** What the sums have to know of an agent that is not in memory. */
export interface AgentThatLeft extends Taken {
  readonly type: string;
  readonly endedAt?: number | undefined;
}

type Taken = Parameters<Tally["add"]>[1];

function takenBy(running: KnownAgent): Taken {
  // An ended agent takes no more, whatever the time is.
  return { usage: running.usage(0), costUsd: running.costUsd(0) };
}

import type { AgentId } from "../ids.ts";
import type { Usage } from "../message.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import { Tally } from "./tally.ts";

/** How much of ended agents stays in memory. */
export interface Keep {
  readonly agents: number;
  /** Of their results together. */
  readonly characters: number;
}

/**
 * Keeps a session that runs for days from growing with every agent that it ever had: the last ended agents stay whole, the
 * others are forgotten and read back from their files when somebody asks. What the forgotten ones took stays in the sums.
 *
 * An agent is forgotten only when its files can tell what it was, after all its children, and never when it is the main
 * agent: so whoever walks from a known agent to its parent finds it.
 */
export class EndedAgents {
  readonly #options: EndedAgentsOptions;
  /** In the order in which they ended, with the length of their results; by name alone, for the reason of `Roster`. */
  readonly #whole = new Map<AgentId, number>();
  #characters = 0;
  /** Their turn came, but something still needs them. */
  readonly #needed = new Set<AgentId>();
  /** How many children of an agent are known. */
  readonly #children = new Map<AgentId, number>();
  readonly #below = new Map<AgentId, Tally>();
  /** What all forgotten agents took. */
  readonly forgotten: Tally = new Tally();
  /** How many there are. */
  count = 0;

  constructor(options: EndedAgentsOptions) {
    this.#options = options;
  }

  /** What forgotten agents below a known one took. */
  forgottenBelow(id: AgentId): Tally | undefined {
    return this.#below.get(id);
  }

  /** An agent became known. */
  enter({ agent }: KnownAgent): void {
    const { parentId } = agent.relates;
    if (parentId !== null) this.#children.set(parentId, (this.#children.get(parentId) ?? 0) + 1);
  }

  /** An agent was read from its files, to go on or to be asked. It may have been forgotten here, or be of another process. */
  comeBack(running: KnownAgent, { isKnown }: { isKnown: boolean }): void {
    const { type, relates } = running.agent;
    const { endedAt } = running;
    if (!isKnown) this.enter(running);
    if (!isKnown && endedAt !== undefined && endedAt > this.#options.openedAt) {
      this.count -= 1;
      this.forgotten.subtract(type, takenBy(running));
      // Below a parent that is forgotten itself nobody looks for it.
      const { parentId } = relates;
      if (parentId !== null && this.#options.known(parentId) !== undefined) {
        this.#below.get(parentId)?.subtract(type, takenBy(running));
      }
    }
    this.note(running);
  }

  /** An agent was removed: nothing of it is left. */
  leave({ agent }: KnownAgent): void {
    this.#takeOut(agent.id);
    this.#needed.delete(agent.id);
    if (agent.relates.parentId !== null) this.#leaveParent(agent.relates.parentId);
  }

  /** A run of an agent has ended. One that can take another task is left alone. */
  note(running: KnownAgent): void {
    const { id } = running.agent;
    this.#takeOut(id);
    this.#needed.delete(id);
    if (!running.hasEnded) return;
    const characters = running.content.length;
    this.#whole.set(id, characters);
    this.#characters += characters;
    for (const oldest of this.#whole.keys()) {
      if (!this.#isTooMuch) break;
      this.#takeOut(oldest);
      const candidate = this.#options.known(oldest);
      // One that has taken up work again comes back here when it ends.
      if (candidate?.hasEnded === true) this.#forget(candidate);
    }
  }

  get #isTooMuch(): boolean {
    const { agents, characters } = this.#options.keep;
    return this.#whole.size > agents || (this.#characters > characters && this.#whole.size > 1);
  }

  #takeOut(id: AgentId): void {
    this.#characters -= this.#whole.get(id) ?? 0;
    this.#whole.delete(id);
  }

  #forget(running: KnownAgent): void {
    const { id, type, relates } = running.agent;
    if (relates.depth === 0 || this.#children.has(id) || !this.#options.canReadBack(id)) {
      this.#needed.add(id);
      return;
    }
    this.#needed.delete(id);
    this.#options.forget(id);
    this.count += 1;
    this.forgotten.add(type, takenBy(running));
    const { parentId } = relates;
    const below = this.#below.get(id);
    this.#below.delete(id);
    if (parentId === null) return;
    if (this.#options.known(parentId) !== undefined) {
      const above = this.#below.get(parentId) ?? new Tally();
      this.#below.set(parentId, above);
      above.add(type, takenBy(running));
      above.merge(below);
    }
    this.#leaveParent(parentId);
  }

  #leaveParent(parentId: AgentId): void {
    const left = (this.#children.get(parentId) ?? 1) - 1;
    if (left > 0) {
      this.#children.set(parentId, left);
      return;
    }
    this.#children.delete(parentId);
    const parent = this.#needed.has(parentId) ? this.#options.known(parentId) : undefined;
    if (parent?.hasEnded === true) this.#forget(parent);
  }
}

/** As much of a running agent as it takes to let go of it. */
export interface KnownAgent {
  readonly agent: Pick<ResolvedAgent, "id" | "type"> & {
    readonly relates: Pick<ResolvedAgent["relates"], "parentId" | "depth">;
  };
  readonly hasEnded: boolean;
  readonly endedAt: number | undefined;
  readonly content: string;
  usage(now: number): Usage;
  costUsd(now: number): number | null;
}

export interface EndedAgentsOptions {
  /** Whatever ended before is of another process. */
  readonly openedAt: number;
  readonly keep: Keep;
  /** Whether the files of an ended agent tell what it was and how it ended. */
  readonly canReadBack: (id: AgentId) => boolean;
  readonly known: (id: AgentId) => KnownAgent | undefined;
  readonly forget: (id: AgentId) => void;
}

function takenBy(running: KnownAgent): Parameters<Tally["add"]>[1] {
  // An ended agent takes no more, whatever the time is.
  return { usage: running.usage(0), costUsd: running.costUsd(0) };
}

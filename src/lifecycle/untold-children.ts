import type { AgentId } from "../ids.ts";
import { endMailId } from "./notification.ts";
import type { RunningAgent } from "./running-agent.ts";

/**
 * Children in the background that had left memory before their parent read of their end, by parent: ids alone, so that a parent
 * that goes on need not look through the files of all agents. Of a parent that has left memory itself nothing is kept.
 */
export class UntoldChildren {
  readonly #byParent = new Map<string, Set<AgentId>>();

  has(parent: string): boolean {
    return this.#byParent.has(parent);
  }

  of(parent: AgentId): AgentId[] {
    return [...(this.#byParent.get(parent) ?? [])];
  }

  /** An ended agent leaves memory. */
  leave({ agent, isBackground, runs }: RunningAgent, parent: RunningAgent | undefined): void {
    this.#byParent.delete(agent.id);
    if (!isBackground || parent === undefined) return;
    if (parent.mailbox.hasRead(endMailId(agent.id, runs))) return;
    this.add(parent.agent.id, [agent.id]);
  }

  add(parent: AgentId, children: readonly AgentId[]): void {
    if (children.length === 0) return;
    const untold = this.#byParent.get(parent) ?? new Set();
    this.#byParent.set(parent, untold);
    for (const child of children) untold.add(child);
  }

  /** It was told of it, or there is nothing to tell any more. */
  settle(parent: AgentId, child: AgentId): void {
    const untold = this.#byParent.get(parent);
    untold?.delete(child);
    if (untold?.size === 0) this.#byParent.delete(parent);
  }
}

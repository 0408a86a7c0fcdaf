import type { AgentId } from "../ids.ts";
import { endMailId } from "./notification.ts";
import type { RunningAgent } from "./running-agent.ts";

/**
 * Children in the background that had left memory before their parent read of their end, by parent: so that a parent that
 * goes on need not look through the files of all agents. Of a parent that has left memory itself nothing is kept.
 */
export class UntoldChildren {
  /** Each with the id of the notification, as far as that is known. */
  readonly #byParent = new Map<AgentId, Map<AgentId, string | null>>();

  has(parent: AgentId): boolean {
    return this.#byParent.has(parent);
  }

  of(parent: RunningAgent): AgentId[] {
    const { id } = parent.agent;
    const untold = this.#byParent.get(id);
    for (const [child, mail] of untold ?? []) {
      if (mail !== null && parent.mailbox.hasRead(mail)) this.settle(id, child);
    }
    return [...(untold?.keys() ?? [])];
  }

  /** An ended agent leaves memory. */
  leave({ agent, isBackground, runs }: RunningAgent, parent: RunningAgent | undefined): void {
    this.forget(agent.id);
    if (!isBackground || parent === undefined) return;
    const mail = endMailId(agent.id, runs);
    if (parent.mailbox.hasRead(mail)) return;
    const untold = this.#of(parent.agent.id);
    // A parent that has hundreds of them reads of the first long before the last.
    for (const [child, read] of untold) {
      if (read === null || !parent.mailbox.hasRead(read)) break;
      untold.delete(child);
    }
    untold.set(agent.id, mail);
  }

  add(parent: AgentId, children: readonly AgentId[]): void {
    if (children.length === 0) return;
    const untold = this.#of(parent);
    for (const child of children) untold.set(child, null);
  }

  /** It was told of it, or there is nothing to tell any more. */
  settle(parent: AgentId, child: AgentId): void {
    const untold = this.#byParent.get(parent);
    untold?.delete(child);
    if (untold?.size === 0) this.forget(parent);
  }

  /** The parent is gone. */
  forget(parent: AgentId): void {
    this.#byParent.delete(parent);
  }

  #of(parent: AgentId): Map<AgentId, string | null> {
    const untold = this.#byParent.get(parent) ?? new Map<AgentId, string | null>();
    this.#byParent.set(parent, untold);
    return untold;
  }
}

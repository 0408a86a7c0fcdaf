import type { Mail, MailSlot } from "../../loop/mail.ts";
import { abortable } from "../../platform/abortable.ts";

/**
 * Mail for one agent, in order of arrival, each item once. Kept while the process lives; mail that must survive is on
 * disk.
 */
export class Mailbox implements MailSlot {
  #waiting: Mail[] = [];
  /** Ids that were delivered in this run or an earlier one, or are queued. */
  readonly #known = new Set<string>();
  /** Background work that has not ended. */
  readonly #expected = new Set<string>();
  #isOpen = false;
  #listener: (() => void) | undefined;

  /** Begins a run; the items in `told` were delivered before. */
  open(told: Iterable<string> = []): void {
    this.#isOpen = true;
    for (const id of told) this.#known.add(id);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get expects(): boolean {
    return this.#expected.size > 0;
  }

  /** Queues an item; false if the agent reads no more in this run. An item is never queued twice. */
  post(mail: Mail): boolean {
    if (!this.#isOpen) return false;
    if (this.#known.has(mail.id)) return true;
    this.#known.add(mail.id);
    this.#waiting.push(mail);
    this.#listener?.();
    return true;
  }

  /** Whether an item was delivered, in this run or an earlier one. */
  hasRead(id: string): boolean {
    return this.#known.has(id) && !this.#waiting.some((mail) => mail.id === id);
  }

  expect(task: string): void {
    this.#expected.add(task);
  }

  /** Marks background work as done: it will send no more mail. */
  settle(task: string): void {
    if (this.#expected.delete(task) && !this.expects) this.#listener?.();
  }

  take(): readonly Mail[] {
    const mail = this.#waiting;
    this.#waiting = [];
    return mail;
  }

  async arrival(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#waiting.length > 0 || !this.expects) return;
    const arrived = Promise.withResolvers<void>();
    this.#listener = arrived.resolve;
    try {
      await abortable(arrived.promise, signal);
    } finally {
      this.#listener = undefined;
    }
  }

  close(): void {
    this.#isOpen = false;
    for (const { id } of this.#waiting) this.#known.delete(id);
    this.#waiting = [];
  }
}

import type { Mail, MailSlot } from "../../loop/mail.ts";
import { abortable } from "../../platform/abortable.ts";

/** Mail for one agent, in the order in which it came, each piece once. Kept while the process lives; what must survive is on disk. */
export class Mailbox implements MailSlot {
  #waiting: Mail[] = [];
  /** Known already: told in this run or an earlier one, or waiting. */
  readonly #known = new Set<string>();
  /** Work in the background that has not ended. */
  readonly #expected = new Set<string>();
  #isOpen = false;
  #listener: (() => void) | undefined;

  /** A run begins; these were told before. */
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

  /** False when nobody will read it any more in this run. What was posted before is not posted again. */
  post(mail: Mail): boolean {
    if (!this.#isOpen) return false;
    if (this.#known.has(mail.id)) return true;
    this.#known.add(mail.id);
    this.#waiting.push(mail);
    this.#listener?.();
    return true;
  }

  /** It was told, in this run or an earlier one. */
  hasRead(id: string): boolean {
    return this.#known.has(id) && !this.#waiting.some((mail) => mail.id === id);
  }

  expect(task: string): void {
    this.#expected.add(task);
  }

  /** It will say no more, or has said it. */
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

import type { AgentEvent } from "./event.ts";

/**
 * Bounded fan-out of events. Publishing never waits: a reader that falls behind loses pieces of streamed text first,
 * then its oldest events, and `dropped` counts them. An event that must not be lost is also in a transcript.
 */
export class EventBus {
  readonly #streams = new Set<EventStream>();
  #closed = false;

  publish(event: AgentEvent): void {
    for (const stream of this.#streams) offer(stream, event);
  }

  /** Yields the events in `first`, then new ones, until the bus closes, the signal aborts or the reader stops. */
  subscribe(options: Subscription = {}, first: readonly AgentEvent[] = []): EventStream {
    const stop = (): void => stream.end();
    const stream = new EventStream(options, () => {
      this.#streams.delete(stream);
      options.signal?.removeEventListener("abort", stop);
    });
    if (this.#closed || options.signal?.aborted === true) stream.end();
    else this.#streams.add(stream);
    for (const event of first) offer(stream, event);
    options.signal?.addEventListener("abort", stop, { once: true });
    return stream;
  }

  get readers(): number {
    return this.#streams.size;
  }

  /** Ends every stream after its queued events. */
  close(): void {
    this.#closed = true;
    for (const stream of [...this.#streams]) stream.end();
  }
}

export interface Subscription {
  /** The most events that may be queued for this reader. */
  limit?: number;
  signal?: AbortSignal;
  /** Event types to yield; default: all. */
  types?: readonly AgentEvent["type"][];
}

export class EventStream implements AsyncIterableIterator<AgentEvent, undefined> {
  readonly types: ReadonlySet<AgentEvent["type"]> | undefined;
  readonly #limit: number;
  readonly #onEnd: () => void;
  #buffer: AgentEvent[] = [];
  #ended = false;
  #waiting: ((next: IteratorResult<AgentEvent, undefined>) => void)[] = [];
  /** The number of events that this reader was too slow for. */
  dropped = 0;

  constructor({ limit = 10_000, types }: Subscription, onEnd: () => void) {
    this.#limit = limit;
    this.types = types && new Set(types);
    this.#onEnd = onEnd;
  }

  push(event: AgentEvent): void {
    if (this.#ended) return;
    const reader = this.#waiting.shift();
    if (reader !== undefined) return reader({ done: false, value: event });
    if (this.#buffer.length >= this.#limit) this.#makeRoom();
    this.#buffer.push(event);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    for (const reader of this.#waiting) reader({ done: true, value: undefined });
    this.#waiting = [];
  }

  next(): Promise<IteratorResult<AgentEvent, undefined>> {
    const event = this.#buffer.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<AgentEvent, undefined>> {
    this.end();
    this.#buffer = [];
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * Makes room in the queue. One pass drops all streamed pieces, so a flood costs one sweep per `limit` events, not one
   * per event.
   */
  #makeRoom(): void {
    const before = this.#buffer.length;
    this.#buffer = this.#buffer.filter((event) => !isPiece(event));
    if (this.#buffer.length === before) this.#buffer = this.#buffer.slice(Math.ceil(before / 10));
    this.dropped += before - this.#buffer.length;
  }
}

function offer(stream: EventStream, event: AgentEvent): void {
  if (stream.types === undefined || stream.types.has(event.type)) stream.push(event);
}

function isPiece(event: AgentEvent): boolean {
  return (
    event.type === "text-delta" ||
    event.type === "thinking-delta" ||
    event.type === "tool-call-progress"
  );
}

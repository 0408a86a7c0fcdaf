import { RetinueError } from "../errors.ts";

/**
 * How many agents run at once. First come, first served; an agent that waits for a child or a person lends its slot,
 * and gets one back before anybody new. So parents at the limit never starve their own children.
 */
export class Slots {
  readonly limit: number;
  readonly #onLimit: "queue" | "reject";
  #held = 0;
  readonly #waking: Ticket[] = [];
  readonly #queued: Ticket[] = [];

  constructor(options: { limit: number; onLimit: "queue" | "reject" }) {
    this.limit = options.limit;
    this.#onLimit = options.onLimit;
  }

  get held(): number {
    return this.#held;
  }

  get queued(): number {
    return this.#queued.length;
  }

  /** A place in line, held at once if one is free. Throws `limit_reached` when the host wants no line. */
  reserve(): Ticket {
    const free = this.#held < this.limit && this.#waking.length === 0 && this.#queued.length === 0;
    if (!free && this.#onLimit === "reject") {
      throw new RetinueError(
        "limit_reached",
        `max concurrent agents reached (${this.limit}). Do not retry; wait for a running agent to end.`,
      );
    }
    const ticket = new Ticket(this);
    this.enter(ticket, "queued");
    return ticket;
  }

  enter(ticket: Ticket, line: "queued" | "waking"): void {
    (line === "queued" ? this.#queued : this.#waking).push(ticket);
    this.#serve();
  }

  leave(ticket: Ticket): void {
    for (const line of [this.#queued, this.#waking]) {
      const index = line.indexOf(ticket);
      if (index !== -1) line.splice(index, 1);
    }
  }

  giveBack(): void {
    this.#held -= 1;
    this.#serve();
  }

  /** 1 = next to be served. */
  position(ticket: Ticket): number {
    return this.#waking.length + this.#queued.indexOf(ticket) + 1;
  }

  #serve(): void {
    while (this.#held < this.limit) {
      const next = this.#waking.shift() ?? this.#queued.shift();
      if (next === undefined) return;
      this.#held += 1;
      next.grant();
    }
  }
}

/** One agent's claim on a slot, from the line to the end. Every method may be called in any state. */
export class Ticket {
  readonly #slots: Slots | null;
  #state: "outside" | "in-line" | "held";
  #granted: PromiseWithResolvers<void> = Promise.withResolvers();

  /** Without slots the ticket is always held: the main agent takes no slot. */
  constructor(slots: Slots | null) {
    this.#slots = slots;
    this.#state = slots === null ? "held" : "in-line";
    if (slots === null) this.#granted.resolve();
  }

  get held(): boolean {
    return this.#state === "held";
  }

  get position(): number {
    return this.held ? 0 : (this.#slots?.position(this) ?? 0);
  }

  grant(): void {
    this.#state = "held";
    this.#granted.resolve();
  }

  /** Resolves when the slot is held; rejects with the signal's reason, leaving the line, when that comes first. */
  async whenHeld(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.held) return;
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = (): void => {
      this.release();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      await Promise.race([this.#granted.promise, promise]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Gives the slot back for the time of a wait. */
  lend(): void {
    if (this.#slots !== null) this.release();
  }

  /** Gets a slot again after a wait, ahead of everybody who never had one. */
  async reclaim(signal: AbortSignal): Promise<void> {
    if (this.#slots === null) return;
    this.#state = "in-line";
    this.#granted = Promise.withResolvers();
    this.#slots.enter(this, "waking");
    await this.whenHeld(signal);
  }

  release(): void {
    const before = this.#state;
    if (this.#slots === null || before === "outside") return;
    this.#state = "outside";
    if (before === "held") this.#slots.giveBack();
    else this.#slots.leave(this);
  }
}

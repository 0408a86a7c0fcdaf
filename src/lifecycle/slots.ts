import type { Clock } from "../platform/clock.ts";
import { Roster } from "../platform/roster.ts";
import { roomOf, type Capacity, type Room } from "./capacity.ts";
import type { Claim } from "./claim.ts";
import { Limit, type Standing } from "./limit.ts";
import { Line, Parent, waking, type Place } from "./line.ts";
import { NextInLine } from "./next-in-line.ts";
import { Positions } from "./positions.ts";

export interface SlotLimits {
  readonly maxRunning: number;
  readonly onLimit: "queue" | "reject";
  readonly perType?: Readonly<Record<string, number>>;
  readonly perModel?: Readonly<Record<string, number>>;
  readonly perProvider?: Readonly<Record<string, number>>;
}

/**
 * How many agents run at once: of a session, and of the types, models and providers that have limits of their own. An
 * agent that waits for a child or a person lends its slot, and gets one back before anybody new: so parents at the limit
 * never starve their own children. A slot counts for all limits of an agent at once, so nobody holds one limit while
 * waiting for another. Nobody stands in line who could run.
 */
export class Slots {
  readonly #onLimit: "queue" | "reject";
  readonly #clock: Clock;
  readonly #session: Limit;
  readonly #types: ReadonlyMap<string, Limit>;
  readonly #models: ReadonlyMap<string, Limit>;
  readonly #providers: ReadonlyMap<string, Limit>;
  /** One for each combination of limits that was asked for. */
  readonly #lines = new Map<string, Line<Claimant>>();
  readonly #next = new NextInLine();
  readonly #positions = new Positions();
  /** Those whose agents run or want to. */
  readonly #parents = new Roster<string, Parent>();
  /** Counts what happens, so that no two arrivals or servings are at the same time. */
  #serial = 0;

  constructor(limits: SlotLimits, clock: Clock) {
    this.#onLimit = limits.onLimit;
    this.#clock = clock;
    this.#session = new Limit(limits.maxRunning);
    this.#types = limitsOf(limits.perType, "of type");
    this.#models = limitsOf(limits.perModel, "on model");
    this.#providers = limitsOf(limits.perProvider, "with provider");
  }

  /** A place in line, held at once if one is free. Throws `limit_reached` when the host wants no line. */
  reserve(claim: Claim): Ticket {
    const line = this.#lineOf(claim);
    const full = line.limits.find(({ isFull }) => isFull);
    if (full !== undefined && this.#onLimit === "reject") throw full.refusal();
    const claimant = new Claimant(claim, line);
    this.move(claimant, "queued");
    return new Ticket({ slots: this, claimant });
  }

  capacity(): Capacity {
    const now = this.#clock.now();
    const room = (limit: Limit): Room => roomOf(limit, this.#lines.values(), now);
    const by = (limits: ReadonlyMap<string, Limit>): Record<string, Room> =>
      Object.fromEntries([...limits].map(([name, limit]) => [name, room(limit)]));
    return {
      ...room(this.#session),
      byType: by(this.#types),
      byModel: by(this.#models),
      byProvider: by(this.#providers),
    };
  }

  /** For tickets: what one of them gives back or leaves may be another's turn. */
  move(claimant: Claimant, to: Standing): void {
    this.#change(claimant, to);
    while (!this.#session.isFull) {
      const next = this.#next.choose(this.#lines.values());
      if (next === undefined) return;
      this.#change(next.who, "held");
    }
  }

  /** For tickets. */
  position({ place, drawn }: Claimant): number {
    return place === null ? 0 : this.#positions.of(place.rank, drawn);
  }

  #change(claimant: Claimant, to: Standing): void {
    const { claim, line, place, standing: from } = claimant;
    const name = claim.parent ?? "";
    const parent = this.#parents.get(name) ?? new Parent((this.#serial += 1));
    for (const limit of line.limits) limit.count(from, to);
    if (place !== null) {
      line.leave(place);
      this.#positions.leave(place.rank);
    }
    if (from === "held") parent.change(-1, (this.#serial += 1));
    if (to === "held") parent.change(1, (this.#serial += 1));
    claimant.standing = to;
    claimant.place = null;
    if (to === "queued" || to === "waking") this.#enter(claimant, parent, to);
    if (to === "held") claimant.granted.resolve();
    if (parent.held > 0 || parent.groups.size > 0) this.#parents.set(name, parent);
    else this.#parents.delete(name);
  }

  #enter(claimant: Claimant, parent: Parent, as: "queued" | "waking"): void {
    const rank = as === "waking" ? waking : claimant.claim.priority;
    const arrival = (this.#serial += 1);
    claimant.place = { who: claimant, parent, rank, arrival, since: this.#clock.now() };
    claimant.drawn = this.#positions.enter(rank);
    claimant.granted = Promise.withResolvers();
    claimant.line.enter(claimant.place);
  }

  #lineOf({ type, model, provider }: Claim): Line<Claimant> {
    const own = [this.#types.get(type), this.#models.get(model), this.#providers.get(provider)];
    const names = [type, model, provider].map((name, at) => (own[at] === undefined ? null : name));
    const key = JSON.stringify(names);
    const limits = [this.#session, ...own.filter((limit) => limit !== undefined)];
    const line = this.#lines.get(key) ?? new Line<Claimant>(limits);
    this.#lines.set(key, line);
    return line;
  }
}

function limitsOf(limits: Readonly<Record<string, number>> = {}, what: string): Map<string, Limit> {
  return new Map(
    Object.entries(limits).map(([name, limit]) => [name, new Limit(limit, `${what} '${name}'`)]),
  );
}

/** What the slots know of one ticket. */
class Claimant {
  readonly claim: Claim;
  readonly line: Line<Claimant>;
  standing: Standing = "outside";
  place: Place<Claimant> | null = null;
  drawn = 0;
  granted: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(claim: Claim, line: Line<Claimant>) {
    this.claim = claim;
    this.line = line;
  }
}

/** One agent's claim on a slot, from the line to the end. Every method may be called in any state. */
export class Ticket {
  readonly #of: { slots: Slots; claimant: Claimant } | null;

  /** Without slots the ticket is always held: the main agent takes no slot. */
  constructor(of: { slots: Slots; claimant: Claimant } | null) {
    this.#of = of;
  }

  get held(): boolean {
    return this.#of === null || this.#of.claimant.standing === "held";
  }

  /** About how many are served before it, itself included; 0 when it is not in line. See `Positions`. */
  get position(): number {
    return this.#of === null ? 0 : this.#of.slots.position(this.#of.claimant);
  }

  /** Resolves when the slot is held; rejects with the signal's reason, leaving the line, when that comes first. */
  async whenHeld(signal: AbortSignal): Promise<void> {
    if (signal.aborted && !this.held) this.release();
    signal.throwIfAborted();
    if (this.#of === null || this.held) return;
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = (): void => {
      this.release();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      await Promise.race([this.#of.claimant.granted.promise, promise]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Gives the slot back for the time of a wait. */
  lend(): void {
    if (this.#of !== null && this.held) this.#of.slots.move(this.#of.claimant, "lent");
  }

  /** Gets a slot again after a wait, ahead of everybody who never had one. What was released stays so. */
  async reclaim(signal: AbortSignal): Promise<void> {
    if (this.#of === null) return;
    const { slots, claimant } = this.#of;
    if (claimant.standing === "outside") return;
    if (claimant.standing === "lent") slots.move(claimant, "waking");
    await this.whenHeld(signal);
  }

  release(): void {
    if (this.#of === null || this.#of.claimant.standing === "outside") return;
    this.#of.slots.move(this.#of.claimant, "outside");
  }
}

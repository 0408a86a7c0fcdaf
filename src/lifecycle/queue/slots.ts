import { addAbortListener } from "node:events";
import { RetinueError } from "../../contract/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import { abortable } from "../../platform/abortable.ts";
import { roomOf, type Capacity, type Room } from "./capacity.ts";
import type { Claim } from "./claim.ts";

export interface SlotLimits {
  readonly maxRunning: number;
  readonly onLimit: "queue" | "reject";
  readonly perType?: Readonly<Record<string, number>>;
  readonly perModel?: Readonly<Record<string, number>>;
  readonly perProvider?: Readonly<Record<string, number>>;
}

/** A number of agents that must not be exceeded. */
export interface Limit {
  readonly max: number;
  /** Completes "max concurrent agents … reached". */
  readonly what: string;
  /** Slots of this limit that agents hold. */
  held: number;
}

/** The state of one ticket. */
export interface Claimant {
  readonly claim: Claim;
  readonly limits: readonly Limit[];
  /** `waking`: in line again after lending the slot. */
  standing: "outside" | "queued" | "waking" | "held" | "lent";
  /** Time of entering the line, on the clock. */
  since: number;
  granted: PromiseWithResolvers<void>;
  /** Parent of the claim, while the claimant is queued or holds a slot. */
  parent: Parent;
}

/** A parent with agents that run or are in line. */
interface Parent {
  held: number;
  inLine: number;
  /** Serial number of the last time it got or returned a slot, or appeared. Unique per parent. */
  lastSlot: number;
}

/** The number of claimants of a higher priority that may pass the one that waits longest. */
const patience = 10;

/**
 * Limits the agents that run at once: of a session, and of the types, models and providers with limits of their own. An
 * agent that waits for a child or a person lends its slot, and gets one back before any new agent: so parents at the
 * limit never starve their own children. A slot counts for all limits of an agent at once, so no agent holds one limit
 * while waiting for another. An agent that could run is never queued.
 */
export class Slots {
  readonly #onLimit: "queue" | "reject";
  readonly #clock: Pick<Clock, "now">;
  readonly #session: Limit;
  readonly #types: ReadonlyMap<string, Limit>;
  readonly #models: ReadonlyMap<string, Limit>;
  readonly #providers: ReadonlyMap<string, Limit>;
  /** All claimants that are not outside; queued ones are in order of entry. */
  readonly #claimants = new Set<Claimant>();
  readonly #parents = new Map<string | null, Parent>();
  /** Serial number for changes of parents, so that no two parents have the same `lastSlot`. */
  #serial = 0;
  /** The number of claimants that passed the one that waits longest. */
  #passes = 0;

  constructor(limits: SlotLimits, clock: Pick<Clock, "now">) {
    this.#onLimit = limits.onLimit;
    this.#clock = clock;
    this.#session = { max: limits.maxRunning, what: "", held: 0 };
    this.#types = limitsOf(limits.perType, "of type");
    this.#models = limitsOf(limits.perModel, "on model");
    this.#providers = limitsOf(limits.perProvider, "with provider");
  }

  /**
   * Takes a place in the queue, or a slot at once if one is free. Throws `limit_reached` if the host wants no queue.
   */
  reserve(claim: Claim): Ticket {
    const limits = this.#limitsFor(claim);
    const full = limits.find(isFull);
    if (full !== undefined && this.#onLimit === "reject") throw refusal(full);
    const granted = Promise.withResolvers<void>();
    const parent = this.#parentOf(claim);
    const claimant: Claimant = { claim, limits, parent, standing: "outside", since: 0, granted };
    this.move(claimant, "queued");
    return new Ticket({ slots: this, claimant });
  }

  capacity(): Capacity {
    const now = this.#clock.now();
    const room = (limit: Limit): Room => roomOf(limit, this.#claimants, now);
    const by = (limits: ReadonlyMap<string, Limit>): Record<string, Room> =>
      Object.fromEntries([...limits].map(([name, limit]) => [name, room(limit)]));
    return {
      ...room(this.#session),
      byType: by(this.#types),
      byModel: by(this.#models),
      byProvider: by(this.#providers),
    };
  }

  /** Moves a claimant, on behalf of its ticket; a slot or place that becomes free may go to another. */
  move(claimant: Claimant, to: Claimant["standing"]): void {
    this.#change(claimant, to);
    for (let next = this.#next(); next !== undefined; next = this.#next())
      this.#change(next, "held");
  }

  /**
   * The position of a claimant: those of a higher rank, and those of the same rank that came earlier, itself included.
   */
  position(claimant: Claimant): number {
    if (!isInLine(claimant)) return 0;
    const own = rankOf(claimant);
    let position = 0;
    let isBehind = false;
    for (const other of this.#claimants) {
      const rank = isInLine(other) ? rankOf(other) : -Infinity;
      if (rank > own || (rank === own && !isBehind)) position += 1;
      if (other === claimant) isBehind = true;
    }
    return position;
  }

  #change(claimant: Claimant, to: Claimant["standing"]): void {
    const { claim, limits, standing: from } = claimant;
    const parent = this.#parentOf(claim);
    if (isInLine(claimant)) parent.inLine -= 1;
    claimant.standing = to;
    claimant.parent = parent;
    if (isInLine(claimant)) {
      parent.inLine += 1;
      claimant.since = this.#clock.now();
      claimant.granted = Promise.withResolvers();
      this.#claimants.delete(claimant);
      this.#claimants.add(claimant);
    }
    const slots = Number(to === "held") - Number(from === "held");
    if (slots !== 0) {
      for (const limit of limits) limit.held += slots;
      parent.held += slots;
      parent.lastSlot = this.#serial += 1;
    }
    if (to === "outside") this.#claimants.delete(claimant);
    if (to === "held") claimant.granted.resolve();
    if (parent.held + parent.inLine > 0) this.#parents.set(claim.parent, parent);
    else this.#parents.delete(claim.parent);
  }

  /** The next claimant for a free slot. A claimant that waits for a limit of its own blocks no other. */
  #next(): Claimant | undefined {
    if (isFull(this.#session)) return undefined;
    let oldest: Claimant | undefined;
    let first: Claimant | undefined;
    for (const claimant of this.#claimants) {
      if (!isInLine(claimant) || claimant.limits.some(isFull)) continue;
      oldest ??= claimant;
      if (first === undefined || goesBefore(claimant, first)) first = claimant;
    }
    if (first === undefined || oldest === undefined || first.standing === "waking") return first;
    const outranked = rankOf(first) > rankOf(oldest);
    const next = outranked && this.#passes >= patience ? oldest : first;
    if (next === oldest) this.#passes = 0;
    else if (outranked) this.#passes += 1;
    return next;
  }

  /**
   * The parent of a claim. A new parent counts as having had a slot just now, so that no parent gains by reappearing.
   */
  #parentOf({ parent }: Claim): Parent {
    return this.#parents.get(parent) ?? { held: 0, inLine: 0, lastSlot: (this.#serial += 1) };
  }

  #limitsFor({ type, model, provider }: Claim): Limit[] {
    const own = [this.#types.get(type), this.#models.get(model), this.#providers.get(provider)];
    return [this.#session, ...own.filter((limit) => limit !== undefined)];
  }
}

function limitsOf(limits: Readonly<Record<string, number>> = {}, what: string): Map<string, Limit> {
  return new Map(
    Object.entries(limits).map(([name, max]) => [
      name,
      { max, what: ` ${what} '${name}'`, held: 0 },
    ]),
  );
}

const isFull = ({ held, max }: Limit): boolean => held >= max;

const isInLine = ({ standing }: Claimant): boolean =>
  standing === "queued" || standing === "waking";

/** The priority of a claimant; a waking one ranks above all others. */
const rankOf = ({ standing, claim }: Claimant): number =>
  standing === "waking" ? Infinity : claim.priority;

/** Orders claimants: by rank, then by the fewest slots of the parent, then by the longest time without one. */
function goesBefore(one: Claimant, other: Claimant): boolean {
  const [own, rank] = [rankOf(one), rankOf(other)];
  if (own !== rank) return own > rank;
  const difference = one.parent.held - other.parent.held;
  return difference === 0 ? one.parent.lastSlot < other.parent.lastSlot : difference < 0;
}

/** The error for a caller that does not want to wait. */
function refusal({ max, what }: Limit): RetinueError {
  return new RetinueError(
    "limit_reached",
    `max concurrent agents${what} reached (${max}). Do not retry; wait for a running agent to end.`,
  );
}

/** One agent's claim on a slot, from the queue to the end. Every method may be called in any state. */
export class Ticket {
  readonly #of: { slots: Slots; claimant: Claimant } | null;

  /** A ticket without slots is always held: the main agent takes no slot. */
  constructor(of: { slots: Slots; claimant: Claimant } | null) {
    this.#of = of;
  }

  get held(): boolean {
    return this.#of === null || this.#of.claimant.standing === "held";
  }

  /** The approximate number of agents served up to this one; 0 if it is not queued. */
  get position(): number {
    return this.#of === null ? 0 : this.#of.slots.position(this.#of.claimant);
  }

  /** Resolves when the slot is held. On abort it leaves the queue and rejects with the signal's reason. */
  async whenHeld(signal: AbortSignal): Promise<void> {
    if (signal.aborted && !this.held) this.release();
    signal.throwIfAborted();
    if (this.#of === null || this.held) return;
    using _ = addAbortListener(signal, () => this.release());
    await abortable(this.#of.claimant.granted.promise, signal);
  }

  /** Returns the slot for the time of a wait. */
  lend(): void {
    if (this.#of !== null && this.held) this.#of.slots.move(this.#of.claimant, "lent");
  }

  /** Takes a slot again after a wait, ahead of all agents that never had one. A released ticket stays released. */
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

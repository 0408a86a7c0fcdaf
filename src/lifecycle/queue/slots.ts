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

/** One number that must not be exceeded. */
export interface Limit {
  readonly max: number;
  /** Completes "max concurrent agents … reached". */
  readonly what: string;
  /** Slots under it that agents hold. */
  held: number;
}

/** The state of one ticket. */
export interface Claimant {
  readonly claim: Claim;
  readonly limits: readonly Limit[];
  /** `waking` is in line again after it has lent its slot. */
  standing: "outside" | "queued" | "waking" | "held" | "lent";
  /** When it entered the line, on the clock. */
  since: number;
  granted: PromiseWithResolvers<void>;
  /** That of its claim, as long as it is in line or holds a slot. */
  parent: Parent;
}

/** A parent whose agents run or want to. */
interface Parent {
  held: number;
  inLine: number;
  /** When it last got or gave back a slot, or came. No two parents have the same. */
  lastSlot: number;
}

/** The number of claimants of a higher priority that may go ahead of the one that waits longest. */
const patience = 10;

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
  /** All that are not outside. Those in line stand in the order in which they entered it. */
  readonly #claimants = new Set<Claimant>();
  readonly #parents = new Map<string | null, Parent>();
  /** Counts what happens to parents, so that no two of them had their slot at the same time. */
  #serial = 0;
  /** The number of claimants that went ahead of the one that waits longest. */
  #passes = 0;

  constructor(limits: SlotLimits, clock: Clock) {
    this.#onLimit = limits.onLimit;
    this.#clock = clock;
    this.#session = { max: limits.maxRunning, what: "", held: 0 };
    this.#types = limitsOf(limits.perType, "of type");
    this.#models = limitsOf(limits.perModel, "on model");
    this.#providers = limitsOf(limits.perProvider, "with provider");
  }

  /** A place in line, held at once if one is free. Throws `limit_reached` when the host wants no line. */
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

  /** For tickets: what one of them gives back or leaves may be another's turn. */
  move(claimant: Claimant, to: Claimant["standing"]): void {
    this.#change(claimant, to);
    for (let next = this.#next(); next !== undefined; next = this.#next())
      this.#change(next, "held");
  }

  /** For tickets: those of a higher rank, and those of the same rank that came earlier, itself included. */
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

  /** The next claimant for a free slot. One that waits for a limit of its own blocks no other. */
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

  /** One that is new counts as having had a slot just now: so nobody gets ahead by coming anew each time. */
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

/** Its priority; one that wakes is above all of them. */
const rankOf = ({ standing, claim }: Claimant): number =>
  standing === "waking" ? Infinity : claim.priority;

/** The higher rank goes first, then the parent with fewer slots, then the parent that has had none for longer. */
function goesBefore(one: Claimant, other: Claimant): boolean {
  const [own, rank] = [rankOf(one), rankOf(other)];
  if (own !== rank) return own > rank;
  const difference = one.parent.held - other.parent.held;
  return difference === 0 ? one.parent.lastSlot < other.parent.lastSlot : difference < 0;
}

/** For those who do not want to wait. */
function refusal({ max, what }: Limit): RetinueError {
  return new RetinueError(
    "limit_reached",
    `max concurrent agents${what} reached (${max}). Do not retry; wait for a running agent to end.`,
  );
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

  /** About how many are served before it, itself included; 0 when it is not in line. */
  get position(): number {
    return this.#of === null ? 0 : this.#of.slots.position(this.#of.claimant);
  }

  /** Resolves when the slot is held; rejects with the signal's reason, leaving the line, when that comes first. */
  async whenHeld(signal: AbortSignal): Promise<void> {
    if (signal.aborted && !this.held) this.release();
    signal.throwIfAborted();
    if (this.#of === null || this.held) return;
    using _ = addAbortListener(signal, () => this.release());
    await abortable(this.#of.claimant.granted.promise, signal);
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

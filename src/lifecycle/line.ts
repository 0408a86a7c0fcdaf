import { Heap } from "../platform/heap.ts";
import type { Limit } from "./limit.ts";

/** One agent in line. */
export interface Place<Who = unknown> {
  readonly who: Who;
  readonly parent: Parent;
  /** Its priority; `waking` is above all of them. */
  readonly rank: number;
  readonly arrival: number;
  /** On the clock. */
  readonly since: number;
}

export const waking: number = Infinity;

/** A parent whose agents run or want to. */
export class Parent {
  #held = 0;
  #lastSlot: number;
  readonly groups = new Set<Group>();

  /** It counts as having had a slot when it comes: so nobody gets ahead by coming anew each time. */
  constructor(now: number) {
    this.#lastSlot = now;
  }

  /** Slots that its agents hold. */
  get held(): number {
    return this.#held;
  }

  /** When it last got or gave back a slot. No two parents have the same. */
  get lastSlot(): number {
    return this.#lastSlot;
  }

  /** Its groups step aside meanwhile: a heap stays in order only if nothing in it changes unseen. */
  change(slots: 1 | -1, now: number): void {
    for (const group of this.groups) group.among.remove(group);
    this.#held += slots;
    this.#lastSlot = now;
    for (const group of this.groups) group.among.add(group);
  }
}

/** Agents of one parent and one rank in one line: first come, first served. */
interface Group {
  readonly among: Heap<Group>;
  readonly parent: Parent;
  readonly rank: number;
  readonly places: Heap<Place>;
}

/** The agents that the same limits hold up. Entering, leaving and knowing who is first take O(log n). */
export class Line<Who> {
  readonly limits: readonly Limit[];
  readonly #groups = new Heap<Group>((one, other) => order(one, other) < 0);
  readonly #arrivals = new Heap<Place<Who>>(cameBefore);

  constructor(limits: readonly Limit[]) {
    this.limits = limits;
  }

  get isOpen(): boolean {
    return !this.limits.some(({ isFull }) => isFull);
  }

  get first(): Place<Who> | undefined {
    return this.#groups.first?.places.first as Place<Who> | undefined;
  }

  /** The one that has stood here longest, whatever its rank. */
  get oldest(): Place<Who> | undefined {
    return this.#arrivals.first;
  }

  enter(place: Place<Who>): void {
    this.#arrivals.add(place);
    const { parent, rank } = place;
    const known = this.#groupOf(place);
    if (known !== undefined) {
      known.places.add(place);
      return;
    }
    const group: Group = { among: this.#groups, parent, rank, places: new Heap(cameBefore) };
    group.places.add(place);
    parent.groups.add(group);
    this.#groups.add(group);
  }

  leave(place: Place<Who>): void {
    this.#arrivals.remove(place);
    const group = this.#groupOf(place);
    if (group === undefined) return;
    group.places.remove(place);
    if (group.places.size > 0) return;
    place.parent.groups.delete(group);
    this.#groups.remove(group);
  }

  #groupOf({ parent, rank }: Place): Group | undefined {
    for (const group of parent.groups) {
      if (group.among === this.#groups && group.rank === rank) return group;
    }
    return undefined;
  }
}

/**
 * Who of two that could run goes first: the higher rank, then the parent with fewer slots, then the parent that
 * has had none for longer, then who came first.
 */
export function isBefore(one: Place, other: Place): boolean {
  const difference = order(one, other);
  return difference === 0 ? cameBefore(one, other) : difference < 0;
}

export function cameBefore(one: Place, other: Place): boolean {
  return one.arrival < other.arrival;
}

function order(one: Pick<Place, "rank" | "parent">, other: Pick<Place, "rank" | "parent">): number {
  if (one.rank !== other.rank) return one.rank > other.rank ? -1 : 1;
  return one.parent.held - other.parent.held || one.parent.lastSlot - other.parent.lastSlot;
}

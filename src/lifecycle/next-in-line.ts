import { cameBefore, isBefore, waking, type Line, type Place } from "./line.ts";

/** How many of a higher priority may go ahead of the one that waits longest before it is that one's turn. */
const patience = 10;

/** Chooses whom a free slot goes to. A line whose limits are full is in nobody's way. */
export class NextInLine {
  /** How many went ahead of the one that waits longest. */
  #passes = 0;

  choose<Who>(lines: Iterable<Line<Who>>): Place<Who> | undefined {
    let first: Place<Who> | undefined;
    let oldest: Place<Who> | undefined;
    for (const line of lines) {
      if (line.first === undefined || line.oldest === undefined || !line.isOpen) continue;
      if (first === undefined || isBefore(line.first, first)) first = line.first;
      if (oldest === undefined || cameBefore(line.oldest, oldest)) oldest = line.oldest;
    }
    if (first === undefined || oldest === undefined || first.rank === waking) return first;
    const outranked = first.rank > oldest.rank;
    const next = outranked && this.#passes >= patience ? oldest : first;
    if (next === oldest) this.#passes = 0;
    else if (outranked) this.#passes += 1;
    return next;
  }
}

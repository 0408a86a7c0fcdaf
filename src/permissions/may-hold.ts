import { join } from "node:path";
import type { PathPair, Rulebook } from "./policy.ts";
import type { Rule } from "./rule.ts";

/** A decision looks at no more names than that: a stranger must not keep the disk busy. */
const mostNames = 2000;

/** Whether a file below a directory fits a rule, or may: there are too many to look at, or some cannot be told. */
export function mayHold(directory: PathPair, rule: Rule, book: Rulebook): boolean {
  const queue = [directory];
  let left = mostNames;
  for (const { given, real } of queue) {
    const names = book.ground.list(given);
    if (names === null) return true;
    left -= names.length;
    if (left < 0) return true;
    for (const name of names) {
      const path = join(given, name);
      const pair = book.pair(path);
      if (book.fits(rule, pair)) return true;
      // A link is not followed.
      if (pair.real === join(real, name)) queue.push(pair);
    }
  }
  return false;
}

import { join } from "node:path";
import type { Ground } from "../../ground.ts";
import type { ShownFile } from "../seen-files.ts";

/** A decision looks at no more names than that: a stranger must not keep the disk busy. */
const mostNames = 2000;

/** Everything below some directories, without following links. `null`: there is too much, or it cannot be told. */
export function filesBelow(
  directories: readonly ShownFile[],
  ground: Ground,
): readonly ShownFile[] | null {
  const queue = [...directories];
  const found: ShownFile[] = [];
  let left = mostNames;
  for (const { pair, part } of queue) {
    const names = ground.list(pair.given);
    if (names === null) return null;
    left -= names.length;
    if (left < 0) return null;
    for (const name of names) {
      const given = join(pair.given, name);
      const below = { pair: { given, real: ground.realPath(given) }, part };
      found.push(below);
      if (below.pair.real === join(pair.real, name)) queue.push(below);
    }
  }
  return found;
}

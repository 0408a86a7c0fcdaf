import { basename, join } from "node:path";
import type { Ground } from "../../ground.ts";

/** How many files all copies of a command may look at. */
export interface CopyBudget {
  entries: number;
}

export function copyBudget(): CopyBudget {
  return { entries: 1000 };
}

/**
 * The files that copying or moving these sources to a target would write: at the target itself, and in it under their own
 * names, with everything in them. `null`: there are too many to tell, or there is a link among them, which may lead elsewhere
 * from its new place.
 */
export function copiedFiles(
  sources: readonly string[],
  target: string,
  { ground, budget }: { ground: Ground; budget: CopyBudget },
): readonly string[] | null {
  const written: string[] = [];
  for (const source of sources) {
    const entries = entriesOf(source, { ground, budget });
    if (entries === null) return null;
    for (const entry of entries) {
      written.push(join(target, entry), join(target, basename(source), entry));
    }
  }
  return written;
}

/** Everything below a path, relative to it, itself first. */
function entriesOf(
  source: string,
  { ground, budget }: { ground: Ground; budget: CopyBudget },
): string[] | null {
  const found = [""];
  const real = ground.realPath(source);
  if (basename(real) !== basename(source)) return null;
  for (const entry of found) {
    const names = ground.list(join(source, entry));
    if (names === null) return null;
    for (const name of names) {
      const below = join(entry, name);
      if (ground.realPath(join(source, below)) !== join(real, below)) return null;
      found.push(below);
      budget.entries -= 1;
      if (budget.entries < 0) return null;
    }
  }
  return found;
}

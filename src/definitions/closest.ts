/** The candidate that was probably meant, without regard to case and separators; none when nothing is near. */
export function closest(name: string, candidates: readonly string[]): string | undefined {
  // Nobody's slip of the pen, and the comparison takes as long as it is.
  if (name.length > 100) return undefined;
  const folded = fold(name);
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(fold(candidate), folded) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** Names that differ only in case and separators are the same name. */
export function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, "");
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, left] of a.split("").entries()) {
    const next = [i + 1];
    for (const [j, right] of b.split("").entries()) {
      const replace = (row[j] ?? 0) + (left === right ? 0 : 1);
      next.push(Math.min(replace, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

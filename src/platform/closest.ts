/** The candidate closest to a name, ignoring case and separators; none when nothing is near. */
export function closest(name: string, candidates: readonly string[]): string | undefined {
  // No typo is that long, and the comparison takes time in proportion.
  if (name.length > 100) return undefined;
  const folded = fold(name);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const other = fold(candidate);
    const most = Math.min(
      Math.max(1, Math.floor(candidate.length / 3)),
      best === undefined ? Infinity : best.distance - 1,
    );
    // The distance is at least the difference in length.
    if (Math.abs(other.length - folded.length) > most) continue;
    const distance = editDistance(other, folded);
    if (distance <= most) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Folds case and separators: names that differ only in these are the same name. */
export function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, "");
}

/** The number of letters added, removed, replaced or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replace = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const swap =
        i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
          ? (before[j - 1] ?? 0) + 1
          : Infinity;
      next.push(Math.min(replace, swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}

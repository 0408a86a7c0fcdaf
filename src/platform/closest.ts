/** The candidate that was probably meant, without regard to case and separators; none when nothing is near. */
export function closest(name: string, candidates: readonly string[]): string | undefined {
  // Nobody's slip of the pen, and the comparison takes as long as it is.
  if (name.length > 100) return undefined;
  const folded = fold(name);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const other = fold(candidate);
    const most = Math.min(
      Math.max(1, Math.floor(candidate.length / 3)),
      best === undefined ? Infinity : best.distance - 1,
    );
    // As many letters must be added or taken away at least.
    if (Math.abs(other.length - folded.length) > most) continue;
    const distance = editDistance(other, folded);
    if (distance <= most) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Names that differ only in case and separators are the same name. */
export function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, "");
}

/** Letters added, taken away, replaced or swapped with their neighbour. */
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

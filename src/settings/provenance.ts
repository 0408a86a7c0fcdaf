import type { Origin, Path } from "./layer.ts";

/** Who decided a value, and the values inside it. */
export interface Provenance {
  /** The highest that took part. */
  readonly origin: Origin;
  /** Of an object: who decided each key. */
  readonly keys?: ReadonlyMap<string, Provenance>;
  /** Of a list: who brought each item. */
  readonly items?: readonly Origin[];
}

/** Who decided what stands at `path`; nobody when nothing does. */
export function originOf(provenance: Provenance, path: Path): Origin | undefined {
  let node = provenance;
  for (const step of path) {
    if (node.items !== undefined) return typeof step === "number" ? node.items[step] : undefined;
    // Inside a value that one file gave whole.
    if (node.keys === undefined) return node.origin;
    const inner = node.keys.get(String(step));
    if (inner === undefined) return undefined;
    node = inner;
  }
  return node.origin;
}

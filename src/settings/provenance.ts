import type { SettingOrigin } from "./layer.ts";
import type { KeyPath } from "../platform/plain-values.ts";

/** The origins of a value, and of the values inside it. */
export interface Provenance {
  /** Highest origin that took part. */
  readonly origin: SettingOrigin;
  /** Origins of the keys of an object. */
  readonly keys?: ReadonlyMap<string, Provenance>;
  /** Origins of the items of a list. */
  readonly items?: readonly SettingOrigin[];
}

/** The origin of the value at `path`; undefined if there is none. */
export function originOf(provenance: Provenance, path: KeyPath): SettingOrigin | undefined {
  let node = provenance;
  for (const step of path) {
    if (node.items !== undefined) return typeof step === "number" ? node.items[step] : undefined;
    // Inside a value that one file set whole.
    if (node.keys === undefined) return node.origin;
    const inner = node.keys.get(String(step));
    if (inner === undefined) return undefined;
    node = inner;
  }
  return node.origin;
}

import { isKnownKey, managedOnly } from "./known-keys.ts";
import { pathText, type SettingsLayer, type Values } from "./layer.ts";
import type { KeyPath } from "../platform/plain-values.ts";
import { isObject } from "../platform/is-object.ts";
import { restrictingSandbox } from "./sandbox-settings.ts";

export interface HeldBack {
  readonly path: KeyPath;
  readonly value: unknown;
  /** Reason why it does not act, and what would make it. */
  readonly message: string;
}

export interface Allowance {
  /** Whether the project's folder is trusted. */
  readonly trusted: boolean;
  /** Whether a policy keeps all other scopes from allowing tools. */
  readonly managedRulesOnly: boolean;
}

/** Removes the parts of a layer that its scope has no right to set. Rules that deny or ask are never removed. */
export function holdBack(
  layer: Pick<SettingsLayer, "scope" | "values">,
  { trusted, managedRulesOnly }: Allowance,
): { values: Values; heldBack: HeldBack[] } {
  if (layer.scope === "managed") return { values: layer.values, heldBack: [] };
  const isProjects = layer.scope === "project" || layer.scope === "local";
  const heldBack: HeldBack[] = [];
  const values = keep(layer.values, ([key, inner], value) => {
    const path = inner === undefined ? [key] : [key, inner];
    const reason = reasonAgainst(pathText(path), key);
    if (reason === undefined) return true;
    // Nothing in it could act.
    if (isEmpty(value) && !managedOnly.has(key)) return false;
    if (isKnownKey([key, inner]))
      heldBack.push({ path, value, message: `'${pathText(path)}' ${reason}` });
    return false;
  });
  if (!isProjects || trusted || !isObject(layer.values["sandbox"])) return { values, heldBack };
  const sandbox = restrictingSandbox(layer.values["sandbox"]);
  for (const { path, value } of sandbox.heldBack)
    if (!isEmpty(value))
      heldBack.push({ path, value, message: `'${pathText(path)}' ${untrusted}` });
  return { values: { ...values, sandbox: sandbox.kept }, heldBack };

  function reasonAgainst(path: string, key: string): string | undefined {
    if (managedOnly.has(key))
      return "acts only in managed settings and is ignored here. Remove it.";
    if (isProjects && !trusted && !restricting.has(path)) return untrusted;
    if (managedRulesOnly && path === "permissions.allow")
      return "is ignored: managed settings are the only ones that may allow tools here.";
    return undefined;
  }
}

const untrusted =
  "does not act until this folder is trusted. Look at it, then run 'retinue trust'.";

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Keys that an untrusted folder may set, because they only restrict. */
const restricting: ReadonlySet<string> = new Set([
  "permissions.deny",
  "permissions.ask",
  // Filtered by `restrictingSandbox`.
  "sandbox",
]);

/** The keys that pass; those of `permissions` are checked one by one. */
function keep(
  values: Values,
  passes: (path: [key: string, inner?: string], value: unknown) => boolean,
): Values {
  const entries = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    if (key !== "permissions" || !isObject(value))
      return passes([key], value) ? [[key, value]] : [];
    const inner = Object.entries(value).filter(([name, rule]) => passes([key, name], rule));
    return [[key, Object.fromEntries(inner)]];
  });
  return Object.fromEntries(entries);
}

import { closest } from "../platform/closest.ts";
import type { Values } from "./layer.ts";
import type { KeyPath } from "../platform/plain-values.ts";
import { isObject } from "../platform/is-object.ts";
import { settingsSchema } from "./settings.ts";

/** Keys that only an administrator may set. */
export const managedOnly: ReadonlySet<string> = new Set([
  "strictPluginOnlyCustomization",
  "allowPluginAgentExtensions",
  "strictKnownMarketplaces",
  "allowManagedHooksOnly",
  "allowManagedPermissionRulesOnly",
  "allowManagedMcpServersOnly",
]);

const keys: ReadonlySet<string> = new Set([...Object.keys(settingsSchema.shape), ...managedOnly]);
const ruleKeys: ReadonlySet<string> = new Set(
  Object.keys(settingsSchema.shape.permissions.unwrap().shape),
);

/** Whether this version knows a key; files hold many that are meant for other programs. */
export function isKnownKey([key, inner]: readonly [
  key: string,
  inner?: string | undefined,
]): boolean {
  return keys.has(key) && (key !== "permissions" || inner === undefined || ruleKeys.has(inner));
}

/**
 * Unknown keys that resemble a known one, or that our library accepts elsewhere: a rule under such a key would silently
 * not hold.
 */
export function mistakenKeys(values: Values): { path: KeyPath; message: string }[] {
  const permissions = values["permissions"];
  const inner = isObject(permissions) ? Object.keys(permissions) : [];
  return [
    ...("limits" in values ? [{ path: ["limits"], message: limitsElsewhere }] : []),
    ...Object.keys(values).flatMap((key) => misspelling([key], key, keys)),
    ...inner.flatMap((key) => misspelling(["permissions", key], key, ruleKeys)),
  ];
}

const limitsElsewhere =
  "'limits' is not a setting and is ignored. Programs give it to createManager({ limits }); a run takes --timeout and --max-turns, an agent file timeout and maxTurns.";

function misspelling(
  path: KeyPath,
  key: string,
  known: ReadonlySet<string>,
): { path: KeyPath; message: string }[] {
  const meant = known.has(key) ? undefined : closest(key, [...known]);
  if (meant === undefined) return [];
  return [{ path, message: `Unknown setting '${key}' is ignored. Did you mean '${meant}'?` }];
}

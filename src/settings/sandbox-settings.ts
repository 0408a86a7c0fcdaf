import { z } from "zod";
import { isObject } from "../platform/is-object.ts";
import type { KeyPath } from "../platform/plain-values.ts";

const paths = z.array(z.string().min(1)).default([]);
/** Accepted, so that people's existing files are no error, but without effect: see `inertSandboxKeys`. */
const inert = z.unknown().optional();

/**
 * Bash in a sandbox of the operating system. Strict, unlike the settings around it: a limit under a misspelt key would
 * silently not hold.
 */
export const sandboxSchema = z.strictObject({
  /** Run commands of Bash in a sandbox (Linux; see docs/sandbox.md). */
  enabled: z.boolean().default(false),
  /** Run commands that need no approval in the tight sandbox, wherever bubblewrap works; `false`: run them like the others. */
  autoApproved: z.boolean().default(true),
  /** If there can be no sandbox: refuse to start, or with `false` warn and run without one. */
  failIfUnavailable: z.boolean().default(true),
  /** Hosts that commands may reach. */
  network: z
    .strictObject({
      /** Hosts that may be reached, by name: `example.com`, `*.example.com`, `example.com:443`. Default: none. */
      allowedDomains: z.array(z.string().min(1)).default([]),
      /** Hosts that may not be reached, whatever allows them. */
      deniedDomains: z.array(z.string().min(1)).default([]),
      allowLocalBinding: inert,
      allowUnixSockets: inert,
      allowAllUnixSockets: inert,
      allowMachLookup: inert,
    })
    .prefault({}),
  /**
   * Paths that commands may write and read. Paths are absolute, in the home directory (`~/x`), or below the working
   * directory.
   */
  filesystem: z
    .strictObject({
      /** Paths besides the working directory and a private directory for temporary files. */
      allowWrite: paths,
      /** Paths that may not be written, even inside writable ones. */
      denyWrite: paths,
      denyRead: paths,
      /** Readable paths inside unreadable ones. */
      allowRead: paths,
    })
    .prefault({}),
  autoAllowBashIfSandboxed: inert,
  excludedCommands: inert,
  allowUnsandboxedCommands: inert,
  enableWeakerNestedSandbox: inert,
  enableWeakerNetworkIsolation: inert,
  ignoreViolations: inert,
});

export type SandboxSettings = z.infer<typeof sandboxSchema>;

/**
 * Keys that other programs know and this version does not act on. All of them would widen the sandbox, so it is safe to
 * ignore them, with a report. Keys that would narrow it are unknown to the schema, and refused.
 */
const inertKeys: ReadonlyMap<string, string> = new Map([
  ["autoAllowBashIfSandboxed", "Permission for Bash is asked as without a sandbox."],
  ["excludedCommands", "These commands run in the sandbox too."],
  ["allowUnsandboxedCommands", "No command runs outside the sandbox."],
  ["enableWeakerNestedSandbox", "The sandbox is never weakened."],
  ["enableWeakerNetworkIsolation", "The sandbox is never weakened."],
  ["ignoreViolations", "What the sandbox refuses is always reported."],
  ["network.allowLocalBinding", "Commands have their own network and may bind every port in it."],
  ["network.allowUnixSockets", "The sandbox cannot tell sockets apart and refuses all."],
  ["network.allowAllUnixSockets", "The sandbox refuses all Unix sockets."],
  ["network.allowMachLookup", "The sandbox works on Linux only."],
]);

/** Keys of `sandbox` that are set and have no effect, with what applies instead. */
export function inertSandboxKeys(
  values: Readonly<Record<string, unknown>>,
): { path: KeyPath; message: string }[] {
  return [...inertKeys].flatMap(([key, instead]) => {
    const path = ["sandbox", ...key.split(".")];
    const value = valueAt(values, path);
    if (value === undefined || value === false || isEmptyList(value)) return [];
    return [{ path, message: `'sandbox.${key}' is not supported and does nothing. ${instead}` }];
  });
}

/** The part of the sandbox that an untrusted folder may set: that there is one, and what it forbids. */
export function restrictingSandbox(sandbox: unknown): {
  kept: Record<string, unknown>;
  heldBack: { path: string[]; value: unknown }[];
} {
  const heldBack: { path: string[]; value: unknown }[] = [];
  const kept = filtered(sandbox, ["sandbox"], (path, value) => {
    if (restricts(path.slice(1).join("."), value)) return true;
    heldBack.push({ path, value });
    return false;
  });
  return { kept, heldBack };
}

function restricts(key: string, value: unknown): boolean {
  if (["enabled", "autoApproved", "failIfUnavailable"].includes(key)) return value !== false;
  return ["network.deniedDomains", "filesystem.denyWrite", "filesystem.denyRead"].includes(key);
}

function filtered(
  value: unknown,
  path: string[],
  passes: (path: string[], value: unknown) => boolean,
): Record<string, unknown> {
  const entries = Object.entries(isObject(value) ? value : {}).flatMap(([key, inner]) => {
    const at = [...path, key];
    if (path.length === 1 && isObject(inner) && (key === "network" || key === "filesystem"))
      return [[key, filtered(inner, at, passes)] as const];
    return passes(at, inner) ? [[key, inner] as const] : [];
  });
  return Object.fromEntries(entries);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((at: unknown, key) => (isObject(at) ? at[key] : undefined), value);
}

function isEmptyList(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

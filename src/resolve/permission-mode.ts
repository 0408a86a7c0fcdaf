import { RetinueError } from "../errors.ts";
import type { PermissionMode } from "../resolved-agent.ts";

/** How much each mode lets happen unasked. */
const width: Readonly<Record<PermissionMode, number>> = {
  plan: 0,
  delegate: 0,
  dontAsk: 1,
  default: 2,
  bubble: 2,
  auto: 3,
  acceptEdits: 3,
  bypassPermissions: 4,
};

/** Whoever runs in one of these has decided for its children too. */
const binding: ReadonlySet<PermissionMode> = new Set(["bypassPermissions", "acceptEdits", "auto"]);

/** The one that lets less happen unasked; the first where they are alike. */
export function narrower(one: PermissionMode, other: PermissionMode): PermissionMode {
  return width[other] < width[one] ? other : one;
}

/** Which mode an agent runs in, and who says so: parent that binds > call > definition > parent. */
export function resolveMode(voices: {
  parent: PermissionMode;
  call: PermissionMode | undefined;
  /** A model asked for the mode of the call: it may only narrow. */
  byModel: boolean;
  definition: PermissionMode | undefined;
  /** A definition may say `bypassPermissions`. */
  allowsBypass: boolean;
}): { mode: PermissionMode; from: string } {
  const { parent, call, definition, allowsBypass } = voices;
  const declared = definition === "bypassPermissions" && !allowsBypass ? undefined : definition;
  // Who only delegates gives the work to others, and they must be able to do it.
  const inherited = parent === "delegate" ? "default" : parent;
  const base = binding.has(parent) ? parent : (declared ?? inherited);
  if (call !== undefined && voices.byModel && call !== base && width[call] >= width[base]) {
    throw new RetinueError(
      "invalid_request",
      `The mode '${call}' allows more than '${base}', which this agent would have. Leave 'mode' out, or ask for a narrower one.`,
    );
  }
  if (binding.has(parent)) return { mode: parent, from: "parent" };
  if (call !== undefined) return { mode: call, from: "call" };
  return declared === undefined
    ? { mode: inherited, from: "parent" }
    : { mode: declared, from: "definition" };
}

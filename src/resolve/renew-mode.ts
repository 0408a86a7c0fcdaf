import type { ModeRecord, PermissionMode, WorkingMode } from "../contract/resolved-agent.ts";
import { common, forbids, modeOf, plans, waysOf, type Ways } from "./permission-mode.ts";

/** A mode with everything that was decided together with it. */
export interface SettledMode {
  readonly mode: PermissionMode;
  readonly record: ModeRecord;
}

/**
 * Decides the mode of a resumed agent. It never has more than before: the session narrows it if the session's mode
 * differs from last time and is not `default`; a parent in `plan` or `dontAsk` narrows it, and so does the caller.
 * `bypassPermissions` is kept only if the session still gives it.
 */
export function renewMode(
  before: SettledMode,
  now: {
    session: ModeRecord;
    /** The parent's mode, if the parent is in memory. */
    parent: ModeRecord | undefined;
    isMain: boolean;
    hasParent: boolean;
    wanted: PermissionMode | undefined;
    allowsBypass: boolean;
  },
): SettledMode {
  const { session, parent, wanted } = now;
  const mode = session.session;
  const isNew = mode !== before.record.session && mode !== "default";
  const had = waysHad(before.record, now);
  const limits = [
    ...(isNew ? [waysOf(session.children, session.neverAsks)] : []),
    ...(parent === undefined ? [] : [waysOf(parent.children, parent.neverAsks)].filter(forbids)),
  ];
  const bound = limits.reduce(common, had);
  const ways =
    wanted === undefined || wanted === "delegate" ? bound : common(bound, waysOf(wanted));
  const delegates =
    before.mode === "delegate" || wanted === "delegate" || (now.isMain && mode === "delegate");
  return {
    mode: delegates ? "delegate" : modeOf(ways),
    record: {
      ...before.record,
      neverAsks: !ways.has("person"),
      children: modeOf(ways),
      afterPlan: now.hasParent && limits.some(plans) ? null : afterPlan(before.record, had, ways),
      session: mode,
    },
  };
}

/**
 * Whether a plan that was approved before still lets the agent work: not if the caller resumes it in the mode `plan`.
 */
export function keepsApproval(
  before: SettledMode,
  now: SettledMode,
  wanted: PermissionMode | undefined,
): boolean {
  const isNewSession = now.record.session === "plan" && before.record.session !== "plan";
  return before.mode === "plan" && wanted !== "plan" && !isNewSession;
}

function waysHad(
  { children, neverAsks }: ModeRecord,
  { session, allowsBypass }: { session: ModeRecord; allowsBypass: boolean },
): Ways {
  return children === "bypassPermissions" && !allowsBypass
    ? waysOf(session.children, session.neverAsks)
    : waysOf(children, neverAsks);
}

/** The mode after an approved plan: an agent that plans only from now on returns to its earlier mode. */
function afterPlan(before: ModeRecord, had: Ways, ways: Ways): WorkingMode | null {
  if (!plans(ways)) return null;
  const back = plans(had) ? before.afterPlan : modeOf(had);
  return back === null || ways.has("person") ? back : modeOf(waysOf(back, true));
}

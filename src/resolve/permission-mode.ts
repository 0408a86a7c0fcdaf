import { RetinueError } from "../contract/errors.ts";
import type { SourceName } from "../definitions/sources.ts";
import type {
  ModeRecord,
  ModeVoice,
  PermissionMode,
  WorkingMode,
} from "../contract/resolved-agent.ts";

/**
 * The order of modes: the ways in which each mode lets a call run. A mode is narrower than another if its ways are a
 * subset of the other's. The common ways of two modes are always a mode, except for `plan` and `dontAsk`: theirs are
 * `plan` without questions (`ModeRecord.neverAsks`). `delegate` is outside the order: such an agent only works through
 * its children, which have their own mode.
 */
export const lets: Readonly<Record<WorkingMode, readonly Way[]>> = {
  plan: ["person"],
  dontAsk: ["rules"],
  default: ["rules", "person"],
  bubble: ["rules", "person", "background"],
  auto: ["rules", "person", "checks"],
  acceptEdits: ["rules", "person", "edits"],
  bypassPermissions: ["rules", "person", "background", "checks", "edits", "everything"],
};

/**
 * A way in which a call is allowed. `rules`: a rule allows it. `person`: a person is asked. `background`: a person is
 * asked, even if the settings keep background agents from asking. `checks`: an automated check allows it. `edits`: it
 * only changes files in the working directories.
 */
export type Way = "rules" | "person" | "background" | "checks" | "edits" | "everything";

/** A mode as the set of its ways. */
export type Ways = ReadonlySet<Way>;

export interface Voices {
  /** The parent, or the session if there is none. */
  readonly parent: Pick<ModeRecord, "children" | "neverAsks">;
  /** Whether the parent is an agent. */
  readonly hasParent: boolean;
  readonly session: PermissionMode;
  /** Whether this is the main agent, which has the session's own mode. */
  readonly isMain: boolean;
  /** The host's mode for this agent. */
  readonly host: PermissionMode | undefined;
  readonly definition: PermissionMode | undefined;
  /** Whether the definition is an option of the host or an administrator's file. */
  readonly isHostDefinition: boolean;
  /** Mode that a model asks for. */
  readonly call: PermissionMode | undefined;
  /** Whether a definition may set `bypassPermissions`. */
  readonly allowsBypass: boolean;
}

/**
 * Decides the mode of an agent, and names the source. The narrower mode always wins. Below a parent in `plan` or
 * `dontAsk` nothing widens the mode; below any other only the host does. A model that asks only for more is refused.
 */
export function resolveMode(voices: Voices): { mode: PermissionMode; record: ModeRecord } {
  const { parent, definition, host, call } = voices;
  const above = waysOf(parent.children, parent.neverAsks);
  const isBound = forbids(above);
  const settling = new ModeResolution(above, voices.hasParent ? "parent" : "session");
  if (host !== undefined) settling.hear("host", host, isBound ? boundFromAbove : null);
  if (definition !== undefined)
    settling.hear("definition", definition, isBound ? boundFromAbove : limitOf(definition, voices));
  if (call !== undefined) {
    if (call !== "delegate" && narrowsNothing(waysOf(call), settling.ways))
      throw tooWide(call, settling);
    settling.hear("call", call, "a call only narrows");
  }
  const delegates =
    [host, definition, call].includes("delegate") ||
    (voices.isMain && voices.session === "delegate");
  return {
    mode: delegates ? "delegate" : modeOf(settling.ways),
    record: {
      from: settling.from,
      refused: settling.refused,
      neverAsks: !settling.ways.has("person"),
      children: modeOf(settling.ways),
      afterPlan: afterPlan(settling.ways, voices.hasParent ? above : undefined),
      session: voices.session,
    },
  };
}

/** Whether a definition is an option of the host, the command line or an administrator's file. */
export function isHostDefinition({ source }: { source: SourceName }): boolean {
  return source === "programmatic" || source === "policy";
}

/** The session's mode for agents without a parent. */
export function sessionMode(mode: PermissionMode): ModeRecord {
  return {
    from: "session",
    refused: null,
    neverAsks: mode === "dontAsk",
    // An agent that delegates gives its work to others, which must be able to do it.
    children: mode === "delegate" ? "default" : mode,
    afterPlan: null,
    session: mode,
  };
}

/** Applies one source after the other. */
class ModeResolution {
  ways: Ways;
  from: ModeVoice;
  refused: string | null = null;

  constructor(above: Ways, from: ModeVoice) {
    this.ways = above;
    this.from = from;
  }

  /** Applies a mode. `limit`: the reason why it cannot widen anything; `null`: it can. */
  hear(voice: ModeVoice, mode: PermissionMode, limit: string | null): void {
    if (mode === "delegate") {
      this.from = voice;
      return;
    }
    const wanted = waysOf(mode);
    const given = limit === null ? wanted : common(this.ways, wanted);
    const isGiven = isWithin(wanted, given);
    if (!isGiven) this.refused = refusal(voice, mode, { given, limit });
    if (isGiven || given.size < this.ways.size) this.from = voice;
    this.ways = given;
  }
}

const boundFromAbove = "nothing below 'plan' or 'dontAsk' allows more than they do";

/** The reason why a definition cannot widen its parent's mode; `null`: it can. */
function limitOf(
  definition: PermissionMode,
  { host, isHostDefinition, allowsBypass }: Voices,
): string | null {
  if (host !== undefined) return "the host has set a narrower mode for this agent";
  if (definition === "bypassPermissions" ? allowsBypass : isHostDefinition) return null;
  const remedy =
    definition === "bypassPermissions"
      ? "--allow-dangerously-skip-permissions (option allowBypassPermissions)"
      : `--child-permission-mode ${definition} (option childPermissionMode)`;
  return `only the host can allow more than the parent has: ${remedy}`;
}

function refusal(
  voice: ModeVoice,
  wanted: PermissionMode,
  { given, limit }: { given: Ways; limit: string | null },
): string {
  const who = voice === "host" ? "The host" : `Its ${voice}`;
  const silently = given.size === 0 ? " and never asks" : "";
  return `${who} asks for the mode '${wanted}'; it runs in '${modeOf(given)}'${silently}, because ${limit}.`;
}

/** Whether the wanted ways add to the present ones and take none away. */
function narrowsNothing(wanted: Ways, ways: Ways): boolean {
  return !isWithin(wanted, ways) && common(ways, wanted).size === ways.size;
}

function tooWide(call: PermissionMode, { ways }: ModeResolution): RetinueError {
  return new RetinueError(
    "invalid_request",
    `The mode '${call}' allows more than '${modeOf(ways)}', which this agent would have. Leave 'mode' out, or ask for a narrower one.`,
  );
}

/**
 * The mode after an approved plan. An agent without a mode before `plan` gets `default`. Below a planning parent there
 * is none.
 */
function afterPlan(ways: Ways, parent: Ways | undefined): WorkingMode | null {
  if (!plans(ways) || (parent !== undefined && plans(parent))) return null;
  return ways.has("person") ? "default" : "dontAsk";
}

export function waysOf(mode: WorkingMode, neverAsks = false): Ways {
  const all = new Set(lets[mode]);
  return neverAsks ? all.difference(asking) : all;
}

const asking: ReadonlySet<Way> = new Set(["person", "background"]);

export function common(some: Ways, others: Ways): Ways {
  return some.intersection(others);
}

export function isWithin(some: Ways, others: Ways): boolean {
  return some.isSubsetOf(others);
}

/** The widest mode within these ways; `plan` if there are none. */
export function modeOf(ways: Ways): WorkingMode {
  const within = byWidth.filter((mode) => isWithin(waysOf(mode), ways));
  return within.at(-1) ?? "plan";
}

const byWidth = (Object.keys(lets) as WorkingMode[]).toSorted(
  (a, b) => lets[a].length - lets[b].length,
);

/** Whether the agent only plans: even calls that a rule allows do not run. */
export function plans(ways: Ways): boolean {
  return !ways.has("rules");
}

/** Whether a mode binds all descendants: `plan` and `dontAsk`. */
export function forbids(ways: Ways): boolean {
  return plans(ways) || !ways.has("person");
}

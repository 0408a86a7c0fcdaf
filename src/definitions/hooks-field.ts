import { z } from "zod";

/** Events and their hooks. Only data: reading it starts nothing. */
export type HookTable = Readonly<Record<string, readonly HookRule[]>>;

export interface HookRule {
  /** Matching tools; default: all. */
  readonly matcher?: string | undefined;
  readonly hooks: readonly Readonly<Record<string, unknown>>[];
}

/** The schema of hooks. An unknown event drops the whole table: half of a user's guards is worse than a report. */
export function hooksSchema(): z.ZodType<HookTable> {
  const rule = z.looseObject({
    matcher: z.string().optional(),
    hooks: z.array(z.looseObject({ type: z.string() })).min(1),
  });
  return z.record(
    z.string().refine((event) => hookEvents.has(event), { error: "no such event" }),
    z.array(rule),
  );
}

export const hookEvents: ReadonlySet<string> = new Set([
  "SessionStart",
  "Setup",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "MessageDisplay",
  "SubagentStart",
  "SubagentStop",
  "TaskCreated",
  "TaskCompleted",
  "Stop",
  "StopFailure",
  "TeammateIdle",
  "InstructionsLoaded",
  "ConfigChange",
  "CwdChanged",
  "DirectoryAdded",
  "FileChanged",
  "WorktreeCreate",
  "WorktreeRemove",
  "PreCompact",
  "PostCompact",
  "Elicitation",
  "ElicitationResult",
  "SessionEnd",
]);

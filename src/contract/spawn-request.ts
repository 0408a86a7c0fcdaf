import { z } from "zod";
import { RetinueError } from "./errors.ts";
import { longestTimer } from "./longest-timer.ts";
import { permissionModes } from "./resolved-agent.ts";
import { inOurWords, problemsIn } from "./wording.ts";

/** Thinking effort of a model. */
export const effortSchema = z.enum(["low", "medium", "high", "xhigh", "max"]);
export type Effort = z.infer<typeof effortSchema>;

/** Remedy for an invalid priority, for display. */
export const priorityRemedy =
  "Give a whole number from -1000 to 1000, or low, normal, medium, high or critical";

/** Priority in the line for a slot: a number, or one of the words for it. */
export const prioritySchema = z.union(
  [
    z.int().min(-1000).max(1000),
    z
      .enum(["low", "normal", "medium", "high", "critical"])
      .transform((word) => ({ low: -10, normal: 0, medium: 0, high: 10, critical: 20 })[word]),
  ],
  { error: priorityRemedy },
);

/**
 * The request. A model fills part of it through the `Agent` tool, a host application all of it. Unknown fields are
 * refused, so that a misspelt one is never silently ignored.
 */
const spawnRequestSchema = z.strictObject({
  /** The task. Without one the agent is created idle and waits for `process`. */
  prompt: z.string().min(1).optional(),
  /** Three to five words for display. */
  description: z.string().default(""),
  /** Agent type. Default: the default type of the settings. */
  subagent_type: z.string().min(1).optional(),
  /** Label by which people address this agent. */
  name: z.string().min(1).max(64).optional(),
  /** An alias (`haiku`), a full id, `provider/model` or `inherit`. */
  model: z.string().min(1).optional(),
  effort: effortSchema.optional(),
  max_turns: z.int().positive().optional(),
  /** Whether the agent runs in the background: the asker resumes at once, and is notified when it ends. */
  run_in_background: z.boolean().optional(),
  /** Id of an ended or interrupted agent, which is resumed with its history. */
  resume: z.string().min(1).optional(),
  /** Permission mode. A model may only ask for a narrower one. */
  mode: z.enum(permissionModes).optional(),
  /** Host only: rules for calls that need no approval, in place of the session's grants. */
  allowedTools: z.array(z.string()).optional(),
  /** Host only: wall-clock limit in milliseconds. */
  timeout: z.int().positive().max(longestTimer).optional(),
  /** Host only: priority in the line for a slot. Higher goes first; `normal` is 0, `low` -10, `high` 10. */
  priority: prioritySchema.optional(),
});

export type SpawnRequest = z.infer<typeof spawnRequestSchema>;
export type SpawnRequestInput = z.input<typeof spawnRequestSchema>;

/** Parses a request from outside; errors name each wrong field. */
export function parseSpawnRequest(input: SpawnRequestInput): SpawnRequest {
  const parsed = spawnRequestSchema.safeParse(input, inOurWords);
  if (parsed.success) return parsed.data;
  throw new RetinueError(
    "invalid_request",
    `The spawn request is not valid: ${problemsIn(parsed.error, "request")}. Correct it and spawn again.`,
  );
}

import { z } from "zod";
import { RetinueError } from "./errors.ts";
import { longestTimer } from "./longest-timer.ts";
import { permissionModes } from "./resolved-agent.ts";
import { inOurWords, problemsIn } from "./wording.ts";

/** How hard a model thinks. */
export const effortSchema = z.enum(["low", "medium", "high", "xhigh", "max"]);
export type Effort = z.infer<typeof effortSchema>;

/** For people who wrote something else. */
export const priorityRemedy =
  "Give a whole number from -1000 to 1000, or low, normal, medium, high or critical";

/** Who goes first when agents wait for a slot: a number, or one of the words for it. */
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
 * What was asked for. A model fills part of it through the `Agent` tool, a host application all of it.
 * Unknown fields are refused, so that a misspelt one is never silently ignored.
 */
const spawnRequestSchema = z.strictObject({
  /** The task. Without one the agent is created idle and waits for `process`. */
  prompt: z.string().min(1).optional(),
  /** Three to five words for people who watch. */
  description: z.string().default(""),
  /** Which agent definition. Left out: the default type of the settings. */
  subagent_type: z.string().min(1).optional(),
  /** A label by which people address this agent. */
  name: z.string().min(1).max(64).optional(),
  /** An alias (`haiku`), a full id, `provider/model` or `inherit`. */
  model: z.string().min(1).optional(),
  effort: effortSchema.optional(),
  max_turns: z.int().positive().optional(),
  /** Nobody waits for it: whoever asks goes on at once, and is told when it ends. */
  run_in_background: z.boolean().optional(),
  /** The id of an agent that has ended, or was interrupted: it goes on with its history. */
  resume: z.string().min(1).optional(),
  /** How it meets what nobody has allowed. A model may only ask for a narrower one. */
  mode: z.enum(permissionModes).optional(),
  /** Host only: rules for what this agent may do unasked, instead of what a person allows for the session. */
  allowedTools: z.array(z.string()).optional(),
  /** Host only: wall-clock limit in milliseconds. */
  timeout: z.int().positive().max(longestTimer).optional(),
  /** Host only: who goes first when agents wait for a slot. Higher does; `normal` is 0, `low` -10, `high` 10. */
  priority: prioritySchema.optional(),
});

export type SpawnRequest = z.infer<typeof spawnRequestSchema>;
export type SpawnRequestInput = z.input<typeof spawnRequestSchema>;

/** Checks a request from outside; what is wrong is named field by field. */
export function parseSpawnRequest(input: SpawnRequestInput): SpawnRequest {
  const parsed = spawnRequestSchema.safeParse(input, inOurWords);
  if (parsed.success) return parsed.data;
  throw new RetinueError(
    "invalid_request",
    `The spawn request is not valid: ${problemsIn(parsed.error, "request")}. Correct it and spawn again.`,
  );
}

import { z } from "zod";
import { permissionModes } from "../../contract/resolved-agent.ts";

const text = z.string().max(100_000);
const rules = z.array(text).max(10_000).default([]);

const fixture = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("file"), path: text.min(1), content: text.default("") }),
  z.strictObject({ type: z.literal("dir"), path: text.min(1) }),
  z.strictObject({ type: z.literal("symlink"), path: text.min(1), target: text.min(1) }),
]);

/** One expected decision. `{{P}}`, `{{H}}` and `{{O}}` in any text are directories made for the case. */
export const permissionCaseSchema = z.strictObject({
  id: z.string().min(1).max(200),
  /** The reason of the expectation, for people. */
  why: text.default(""),
  mode: z.enum(permissionModes).default("default"),
  /** Rules, as if they stood in the settings of the project at `{{P}}`. */
  rules: z.strictObject({ allow: rules, ask: rules, deny: rules }).prefault({}),
  /** The agent's working directory. */
  cwd: text.min(1).default("{{P}}"),
  /** Directories that count as the working directory does. */
  additionalDirectories: z.array(text.min(1)).max(1000).default([]),
  tool: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  /** Whether no person can be asked, unless the mode is `bubble`. */
  background: z.boolean().default(false),
  /** Files that must be on disk, made in this order; parents are made too. */
  fixture: z.array(fixture).max(10_000).default([]),
  expect: z.enum(["allow", "ask", "deny"]),
});

export type PermissionCase = z.infer<typeof permissionCaseSchema>;
export type Fixture = z.infer<typeof fixture>;

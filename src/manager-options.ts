import { z } from "zod";
import { RetinueError } from "./errors.ts";

import type { Model } from "./model/model.ts";
import { parseAllowedTools } from "./permissions/allowed-tools.ts";
import { systemClock, type Clock } from "./platform/clock.ts";
import { guardLogger, silentLogger, type Logger } from "./platform/logger.ts";
import {
  limitsFromEnvironment,
  limitsSchema,
  settingsSchema,
  type SettingsInput,
} from "./settings/settings.ts";
import { defaultConfigDir } from "./transcript/paths.ts";

const optionsSchema = z.strictObject({
  /** Where answers come from. */
  model: z.custom<Model>(
    isModel,
    "must be a Model, for example createRehearsal(await loadScenario(file))",
  ),
  /** The working directory of the agents. */
  cwd: z
    .string()
    .min(1)
    .default(() => process.cwd()),
  /** The user directory with `agents/` and `projects/`; default `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  configDir: z
    .string()
    .min(1)
    .default(() => defaultConfigDir()),
  /** Where transcripts go instead of `<configDir>/projects/<project>`. */
  transcriptDir: z.string().min(1).optional(),

  /** Where policies are, instead of where this platform keeps them. */
  managedDir: z.string().min(1).optional(),
  /** Settings over those of the files of user and project; only a policy wins over them. */
  settings: z.record(z.string(), z.unknown()).default({}).superRefine(fitsSettings),
  /** Plugins, or marketplaces of them, besides the installed ones. */
  pluginDirs: z.array(z.string().min(1)).default([]),
  /** Further folders whose `.claude/agents` count. */
  addDirs: z.array(z.string().min(1)).default([]),
  /** Also read agent files that other programs refuse. */
  lenient: z.boolean().optional(),
  limits: limitsSchema.prefault({}),
  /** Agent types by name, over those in files: `{name: {description, prompt, tools, …}}`. */
  agents: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  /** Tools that may run without being asked. Without any: reading inside `cwd`, nothing else. */
  allowedTools: z.array(z.string()).default([]).transform(parseAllowedTools),
  /** `bypassPermissions` lets everything run; as root only with `IS_SANDBOX=1` in the environment. */
  permissionMode: z
    .enum(["default", "plan", "bypassPermissions"])
    .default("default")
    .refine((mode) => mode !== "bypassPermissions" || maySkipPermissions(), {
      message:
        "bypassPermissions is refused for root outside a sandbox. Run as another user, or set IS_SANDBOX=1 if this machine can be lost",
    }),
  /** Which surface this is; some agent types are offered on some only. */
  entrypoint: z.enum(["cli", "library"]).default("library"),
  logger: z
    .custom<Logger>(
      (value) => hasMethods(value, ["info", "warn", "child"]),
      "must have the methods info, warn and child",
    )
    .default(silentLogger)
    .transform(guardLogger),
  clock: z
    .custom<Clock>((value) => hasMethods(value, ["now"]), "must have the method now")
    .default(systemClock),
});

export type ManagerOptions = Omit<z.input<typeof optionsSchema>, "settings"> & {
  settings?: SettingsInput;
};
export type CheckedOptions = z.infer<typeof optionsSchema>;

export function checkOptions(options: ManagerOptions): CheckedOptions {
  const limits = { ...limitsFromEnvironment(process.env), ...options.limits };
  const parsed = optionsSchema.safeParse({ ...options, limits });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.join(".") || "options"}: ${issue.message}`,
  );
  throw new RetinueError(
    "invalid_config",
    `${options.entrypoint === "cli" ? "" : "createManager: "}${problems.join("; ")}. Correct the option.`,
  );
}

/** The host's own settings are checked whole: their author is right there. */
function fitsSettings(settings: Record<string, unknown>, context: z.RefinementCtx): void {
  for (const { path, message } of settingsSchema.safeParse(settings).error?.issues ?? []) {
    context.addIssue({ code: "custom", path: [...path], message });
  }
}

function maySkipPermissions(): boolean {
  return process.getuid?.() !== 0 || process.env["IS_SANDBOX"] === "1";
}

function isModel(value: unknown): boolean {
  return hasMethods(value, ["stream"]);
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}

import { z } from "zod";
import { RetinueError } from "../contract/errors.ts";

import type { SessionId } from "../contract/ids.ts";
import type { InboxCheck } from "../inbox/run-checks.ts";
import { longestTimer } from "../contract/longest-timer.ts";
import type { Model } from "../model/model.ts";
import { parseAllowedTools } from "../permissions/rules/allowed-tools.ts";
import { optionName, optionSettings } from "../permissions/rules/option-settings.ts";
import { bypassRemedy, mayBypass } from "../permissions/may-bypass.ts";
import { systemClock, wholeClock, type HostClock } from "../platform/clock.ts";
import { guardLogger, silentLogger, type Logger } from "../platform/logger.ts";
import {
  limitsFromEnvironment,
  limitsSchema,
  settingsSchema,
  type SettingsInput,
} from "../settings/settings.ts";
import type { OptionSettings } from "../settings/load-settings.ts";
import { permissionModes, type SourcedRule } from "../contract/resolved-agent.ts";
import { defaultConfigDir } from "../transcript/paths.ts";
import type { HostTool } from "../tools/host-tool.ts";
import { inOurWords, problemsIn } from "../contract/wording.ts";

const permissionMode = z
  .preprocess((mode) => (mode === "manual" ? "default" : mode), z.enum(permissionModes))
  .refine((mode) => mode !== "bypassPermissions" || mayBypass(), { message: bypassRemedy });

const optionsSchema = z.strictObject({
  /** The model that answers. */
  model: z.custom<Model>(
    isModel,
    "must be a Model, for example createRehearsal(await loadScenario(file))",
  ),
  /** Models of further providers, by the prefix of `provider/model` in a definition, call or setting. */
  models: z
    .record(z.string(), z.custom<Model>(isModel, "must be a Model"))
    .refine((models) => Object.keys(models).every((name) => /^[^/]+$/.test(name)), {
      message: "must have non-empty names without '/'",
    })
    .default({}),
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
  /** Id of an existing session to resume; its directory is that of `cwd`. Default: a new one. */
  session: z
    .uuid()
    .transform((id) => id as SessionId)
    .optional(),
  /** Directory for transcripts; default: `<configDir>/projects/<project>`. */
  transcriptDir: z.string().min(1).optional(),
  /**
   * Durability of an emitted record. `process`: it survives any end of this process. `power`: it also survives a power
   * cut, at the cost of a disk sync before each event is emitted.
   */
  durability: z.enum(["process", "power"]).default("process"),

  /** Directory of policies; default: that of this platform. */
  managedDir: z.string().min(1).optional(),
  /** Settings that win over the files of user and project; only a policy wins over them. */
  settings: z.record(z.string(), z.unknown()).default({}).superRefine(fitsSettings),
  /** Plugins, or marketplaces of them, besides the installed ones. */
  pluginDirs: z.array(z.string().min(1)).default([]),
  /** Further folders whose `.claude/agents` are loaded. */
  addDirs: z.array(z.string().min(1)).default([]),
  /** Whether to load agent files that other programs refuse. */
  lenient: z.boolean().optional(),
  limits: limitsSchema.prefault({}),
  /** Agent types by name, which win over those in files: `{name: {description, prompt, tools, …}}`. */
  agents: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  /** Tools of your own, made with `createTool`. Rules and agent files name them like any other. */
  tools: z
    .array(
      z.custom<HostTool>(
        isHostTool,
        "must be made with createTool({ name, description, input, execute })",
      ),
    )
    .default([])
    .superRefine(namedApart),
  /**
   * Rules for calls that need no approval: `Bash(npm test *)`, `Edit(src/**)`, `WebFetch`. Default: reading in `cwd`.
   */
  allowedTools: z.array(z.string()).default([]),
  /** Rules for calls that must not run, whatever allows them: `Bash(git push *)`, `Read(.env)`. */
  disallowedTools: z.array(z.string()).default([]),
  /**
   * The main agent's mode; default: the mode in the settings. `bypassPermissions` lets everything run; as root only
   * with `IS_SANDBOX=1` in the environment.
   */
  permissionMode: permissionMode.optional(),
  /**
   * The mode of children, which may allow more than their parent's; default: their parent's. A parent in `plan` or
   * `dontAsk` binds them all the same.
   */
  childPermissionMode: permissionMode.optional(),
  /** Whether an agent's definition may ask for `bypassPermissions`. */
  allowBypassPermissions: z
    .boolean()
    .default(false)
    .refine((allows) => !allows || mayBypass(), { message: bypassRemedy }),
  /** Answers to the questions of agents. Subscribers of `manager.inbox` can answer too. */
  inbox: z
    .strictObject({
      /** Whether a person answers although nothing subscribes: from another terminal, with `retinue approve`. */
      attended: z.boolean().default(false),
      /** Milliseconds after which a question is answered automatically; `null`: never. */
      timeoutMs: z.number().positive().max(longestTimer).nullable().default(null),
      /** The automatic answer: denied, or allowed once. A question that asks for words never gets one. */
      onDeadline: z.enum(["deny", "allow"]).default("deny"),
      /** Checks, called in this order before any person is asked. */
      checks: z.array(z.custom<InboxCheck>((value) => typeof value === "function")).default([]),
    })
    .prefault({}),
  /** The surface; some agent types are offered on some surfaces only. */
  entrypoint: z.enum(["cli", "library"]).default("library"),
  logger: z
    .custom<Logger>(
      (value) => hasMethods(value, ["info", "warn", "child"]),
      "must have the methods info, warn and child",
    )
    .default(silentLogger)
    .transform(guardLogger),
  clock: z
    .custom<HostClock>((value) => hasMethods(value, ["now"]), "must have the method now")
    .default(systemClock)
    .transform(wholeClock),
});

export type ManagerOptions = Omit<z.input<typeof optionsSchema>, "settings"> & {
  settings?: SettingsInput;
};
type Parsed = z.infer<typeof optionsSchema>;

/** Rules and settings, each with the option that held it. */
export interface CheckedOptions extends Omit<
  Parsed,
  "settings" | "allowedTools" | "disallowedTools"
> {
  readonly settings: readonly OptionSettings[];
  readonly allowedTools: readonly SourcedRule[];
}

export function checkOptions(options: ManagerOptions): CheckedOptions {
  const limits = { ...limitsFromEnvironment(process.env), ...options.limits };
  const parsed = optionsSchema.safeParse({ ...options, limits }, inOurWords);
  if (parsed.success) return sourced(parsed.data);
  const problems = problemsIn(parsed.error, "options");
  throw new RetinueError(
    "invalid_config",
    `${options.entrypoint === "cli" ? "" : "createManager: "}${problems}. Correct the option.`,
  );
}

function sourced({ disallowedTools, ...options }: Parsed): CheckedOptions {
  const { entrypoint } = options;
  return {
    ...options,
    settings: optionSettings({ ...options, disallowedTools }, entrypoint),
    allowedTools: parseAllowedTools(options.allowedTools, optionName("allowedTools", entrypoint)),
  };
}

/** Checks all of the host's own settings: their author is right there. */
function fitsSettings(settings: Record<string, unknown>, context: z.RefinementCtx): void {
  const { error } = settingsSchema.safeParse(settings, inOurWords);
  for (const { path, message } of error?.issues ?? []) {
    context.addIssue({ code: "custom", path: [...path], message });
  }
}

function isHostTool(value: unknown): boolean {
  return hasMethods(value, ["execute"]) && (value as Partial<HostTool>).origin === "host";
}

/** Requires names that differ in more than case, because rules that forbid ignore case. */
function namedApart(tools: readonly HostTool[], context: z.RefinementCtx): void {
  for (const [name = "", ...others] of Map.groupBy(
    tools.map((tool) => tool.name),
    (one) => one.toLowerCase(),
  ).values()) {
    if (others.length === 0) continue;
    const message = `two tools are called '${name}'. Rename one, or leave it out`;
    context.addIssue({ code: "custom", message });
  }
}

function isModel(value: unknown): boolean {
  return hasMethods(value, ["stream"]);
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}

import { z } from "zod";
import { RetinueError } from "../contract/errors.ts";
import { longestTimer } from "../contract/longest-timer.ts";
import { sandboxSchema } from "./sandbox-settings.ts";
import { ownPatternProblem } from "../redact/own-patterns.ts";

const rules = z.array(z.string()).default([]);

/**
 * What a user or host may set, with the defaults in the schema. Keys that this version does not know are left alone:
 * people's settings files hold many.
 */
export const settingsSchema = z.looseObject({
  /** The model of an agent that nobody else chose one for. */
  model: z.string().min(1).default("sonnet"),
  /** The agent type of the main agent. */
  agent: z.string().min(1).optional(),
  /** Short names for models. */
  modelAliases: z
    .record(z.string(), z.string())
    .prefault({})
    .transform((given) => {
      // Models are asked for in any case.
      const lower = Object.entries(given).map(([alias, model]) => [alias.toLowerCase(), model]);
      return { ...aliases, ...(Object.fromEntries(lower) as Record<string, string>) };
    }),
  /**
   * US dollars per million tokens, by model id, over the shipped `prices.json`. A price stands as it is written: without
   * `cacheRead` an answer that read from the cache has an unknown cost.
   */
  prices: z
    .record(
      z.string(),
      z.strictObject({
        input: z.number().nonnegative(),
        output: z.number().nonnegative(),
        cacheRead: z.number().nonnegative().optional(),
        cacheWrite: z.number().nonnegative().optional(),
      }),
    )
    .default({}),
  /** Which agent types there are. */
  agents: z
    .looseObject({
      /** The type of a child when the request names none. */
      defaultType: z.string().min(1).default("general-purpose"),
      /** Built-in types that are switched off: `{Explore: false}`. */
      builtins: z.record(z.string(), z.boolean()).default({}),
      /** Also load files that other programs pass over: with a byte order mark, leading blank lines, no name. */
      lenient: z.boolean().default(false),
    })
    .prefault({}),
  /** Rules for tool calls: `Bash`, `Bash(npm run *)`, `Read(./.env)`, `Agent(name)`. Deny wins over ask, ask over allow. */
  permissions: z
    .looseObject({
      allow: rules,
      ask: rules,
      deny: rules,
      /** Directories that count as the working directory does. */
      additionalDirectories: rules,
      /** The permission mode that a session starts in. */
      defaultMode: z.string().optional(),
      /** `disable` takes the mode `bypassPermissions` away. */
      disableBypassPermissionsMode: z.string().optional(),
    })
    .prefault({}),
  /** Bash in a sandbox of the operating system. */
  sandbox: sandboxSchema.prefault({}),
  /** Environment variables for what agents start. */
  env: z.record(z.string(), z.string()).default({}),
  /** Keys and tokens of model providers that what agents start may have: `["OPENAI_API_KEY"]`. All others are taken out of its environment. */
  passEnvironment: z.array(z.string().min(1)).default([]),
  /** Secrets that are not to be written down or told, besides those that are known by their format or by the environment. */
  redact: z
    .looseObject({
      /** `false`: transcripts, logs and events hold secrets as they are. */
      enabled: z.boolean().default(true),
      /** Regular expressions, bare or as `/regex/flags`. They see one line at a time. */
      patterns: z.array(z.string().min(1).max(1000).superRefine(checkPattern)).default([]),
      /** Texts as they stand; also in base64, in URLs and in JSON. */
      values: z.array(z.string().min(4)).default([]),
    })
    .prefault({}),
  /** What to run on which event. */
  hooks: z.record(z.string(), z.unknown()).default({}),
  /** Plugins by `name@marketplace`. */
  enabledPlugins: z.record(z.string(), z.boolean()).default({}),
  /** Where plugins may come from, by name. */
  extraKnownMarketplaces: z.record(z.string(), z.unknown()).default({}),
  /** Managed only: for these, or for all, only plugins and policy count, not what users and projects write. */
  strictPluginOnlyCustomization: z
    .union([z.literal(true), z.array(z.enum(["skills", "agents", "hooks", "mcp"]))])
    .default([]),
  /** Managed only: what agents of plugins may carry. */
  allowPluginAgentExtensions: z.array(z.enum(["hooks", "mcp", "permissionMode"])).default([]),
  /** Managed only: hooks of all others are ignored. */
  allowManagedHooksOnly: z.boolean().default(false),
  /** Managed only: rules of all others that allow are ignored; those that ask or deny still hold. */
  allowManagedPermissionRulesOnly: z.boolean().default(false),
  /** Managed only: MCP servers of all others are ignored. */
  allowManagedMcpServersOnly: z.boolean().default(false),
  /** Agents that nobody waits for. */
  background: z
    .looseObject({
      /** What becomes of their questions: they go to the `inbox` where somebody can answer, or are denied at once. */
      prompts: z.enum(["inbox", "deny"]).default("inbox"),
      /** Whether agents in the background may use MCP servers. */
      mcp: z.boolean().default(false),
      /** Says in one line what each of them is doing. Costs a short answer of its model each time. Off unless it is here. */
      summaries: z
        .looseObject({
          /** Seconds between two lines, at least 10. An agent that has not got further since is not asked. */
          everySeconds: z.int().min(10).max(86_400),
        })
        .optional(),
    })
    .prefault({}),
  /** Transcripts that are older than this many days are removed. */
  cleanupPeriodDays: z.int().min(1).default(30),
});

function checkPattern(pattern: string, context: z.RefinementCtx): void {
  const message = ownPatternProblem(pattern);
  if (message !== undefined) context.addIssue({ code: "custom", message });
}

export type Settings = z.infer<typeof settingsSchema>;
export type SettingsInput = z.input<typeof settingsSchema>;

/** The newest ids of each family when this version was made. */
const aliases: Record<string, string> = {
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5",
};

const milliseconds = z.int().positive().max(longestTimer);

const mostOfEach = z.record(z.string().min(1), z.int().positive()).default({});

export const limitsSchema = z.strictObject({
  /** Agents that run at once in a session. Those that wait for a child or a person do not count. */
  maxRunning: z.int().positive().default(10),
  /** How many of these run at once: agents of a type, on a model (alias or id), with a provider. */
  perType: mostOfEach,
  perModel: mostOfEach,
  perProvider: mostOfEach,
  /** At a limit: wait in line, or answer `limit_reached`. */
  onLimit: z.enum(["queue", "reject"]).default("queue"),
  /** How deep agents may spawn agents: 1 = only the main agent may. */
  maxSpawnDepth: z.int().nonnegative().default(1),
  maxTurns: z.int().positive().default(50),
  /** Wall clock of one agent, in milliseconds. It stands still while the agent waits. */
  timeout: z
    .int()
    .positive()
    .default(30 * 60_000),
  /** Wall clock of one `process` call that names none. */
  processTimeout: milliseconds.default(5 * 60_000),
  /** An agent that tells and learns nothing new for this long is asked to report and ended. It stands still as `timeout` does. */
  noProgress: milliseconds.default(10 * 60_000),
  /** One tool call that takes longer is ended, and the model reads so. Calls that wait for a person or an agent have none. */
  toolTimeout: milliseconds.default(10 * 60_000),
  /** How long an agent whose time or turns are over may take to report. */
  wrapUpTimeout: milliseconds.default(60_000),
  /** A result longer than this is handed on cut, with the path of the whole text. */
  resultCharacters: z.int().positive().default(30_000),
  /** Read-only tool calls of one turn that run at once. */
  parallelTools: z.int().positive().default(10),
  /** A model that sends nothing for this long is given up and asked again. */
  modelStall: milliseconds.default(120_000),
  retry: z
    .strictObject({
      /** Tries of one request, the first included. */
      attempts: z.int().positive().default(8),
      /** Milliseconds before the second try; doubles from there, with jitter. */
      base: z.int().nonnegative().default(500),
      /** The longest pause, unless the provider asks for a longer one. */
      most: z.int().nonnegative().default(30_000),
    })
    .prefault({}),
});

export type Limits = z.infer<typeof limitsSchema>;
export type LimitsInput = z.input<typeof limitsSchema>;

/** What the environment says about limits; the host's own options win over it. */
export function limitsFromEnvironment(env: NodeJS.ProcessEnv): LimitsInput {
  const name = "CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS";
  const text = env[name];
  if (text === undefined || text === "") return {};
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new RetinueError(
      "invalid_config",
      `${name} must be a positive whole number, not '${text}'. Correct or unset it.`,
    );
  }
  return { maxRunning: Number(text) };
}

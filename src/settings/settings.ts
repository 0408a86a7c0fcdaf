import { z } from "zod";
import { RetinueError } from "../contract/errors.ts";
import { longestTimer } from "../contract/longest-timer.ts";
import { sandboxSchema } from "./sandbox-settings.ts";
import { ownPatternProblem } from "../redact/own-patterns.ts";

const rules = z.array(z.string()).default([]);

/**
 * Settings of a user or host, with the defaults in the schema. Unknown keys are ignored: people's settings files hold
 * many.
 */
export const settingsSchema = z.looseObject({
  /** The model of an agent for which no other source sets one. */
  model: z.string().min(1).default("sonnet"),
  /** The agent type of the main agent. */
  agent: z.string().min(1).optional(),
  /** Short names for models. */
  modelAliases: z
    .record(z.string(), z.string())
    .prefault({})
    .transform((given) => {
      // Model names ignore case.
      const lower = Object.entries(given).map(([alias, model]) => [alias.toLowerCase(), model]);
      return { ...aliases, ...(Object.fromEntries(lower) as Record<string, string>) };
    }),
  /**
   * US dollars per million tokens, by model id; wins over the shipped `prices.json`. A price is used as written:
   * without `cacheRead` an answer that read from the cache has an unknown cost.
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
  /** Agent types. */
  agents: z
    .looseObject({
      /** The type of a child when the request names none. */
      defaultType: z.string().min(1).default("general-purpose"),
      /** Built-in types that are switched off: `{Explore: false}`. */
      builtins: z.record(z.string(), z.boolean()).default({}),
      /** Whether to load files that other programs skip: with a byte order mark, leading blank lines, no name. */
      lenient: z.boolean().default(false),
    })
    .prefault({}),
  /** Rules for tool calls: `Bash`, `Bash(npm run *)`, `Read(./.env)`, `Agent(name)`. Deny wins over ask, ask over allow. */
  permissions: z
    .looseObject({
      allow: rules,
      ask: rules,
      deny: rules,
      /** Directories with the rights of the working directory. */
      additionalDirectories: rules,
      /** The permission mode that a session starts in. */
      defaultMode: z.string().optional(),
      /** `disable` forbids the mode `bypassPermissions`. */
      disableBypassPermissionsMode: z.string().optional(),
    })
    .prefault({}),
  /** Bash in a sandbox of the operating system. */
  sandbox: sandboxSchema.prefault({}),
  /** Environment variables for processes of agents. */
  env: z.record(z.string(), z.string()).default({}),
  /**
   * Keys and tokens of model providers that processes of agents may read: `["OPENAI_API_KEY"]`. All others are removed
   * from their environment.
   */
  passEnvironment: z.array(z.string().min(1)).default([]),
  /** Secrets that must not be stored or emitted, besides those known by their format or by the environment. */
  redact: z
    .looseObject({
      /** `false`: transcripts, logs and events hold secrets unredacted. */
      enabled: z.boolean().default(true),
      /** Regular expressions, bare or as `/regex/flags`. They run on one line at a time. */
      patterns: z.array(z.string().min(1).max(1000).superRefine(checkPattern)).default([]),
      /** Literal texts; also in base64, in URLs and in JSON. */
      values: z.array(z.string().min(4)).default([]),
    })
    .prefault({}),
  /** Hooks by event. */
  hooks: z.record(z.string(), z.unknown()).default({}),
  /** Plugins by `name@marketplace`. */
  enabledPlugins: z.record(z.string(), z.boolean()).default({}),
  /** Marketplaces of plugins, by name. */
  extraKnownMarketplaces: z.record(z.string(), z.unknown()).default({}),
  /**
   * Managed only: surfaces, or `true` for all, on which only plugins and policy count, not the files of users and
   * projects.
   */
  strictPluginOnlyCustomization: z
    .union([z.literal(true), z.array(z.enum(["skills", "agents", "hooks", "mcp"]))])
    .default([]),
  /** Managed only: extensions that agents of plugins may carry. */
  allowPluginAgentExtensions: z.array(z.enum(["hooks", "mcp", "permissionMode"])).default([]),
  /** Managed only: hooks of all other scopes are ignored. */
  allowManagedHooksOnly: z.boolean().default(false),
  /** Managed only: rules of all other scopes that allow are ignored; those that ask or deny still apply. */
  allowManagedPermissionRulesOnly: z.boolean().default(false),
  /** Managed only: MCP servers of all other scopes are ignored. */
  allowManagedMcpServersOnly: z.boolean().default(false),
  /** Agents in the background. */
  background: z
    .looseObject({
      /** Treatment of their questions: sent to the `inbox` if a person can answer, or denied at once. */
      prompts: z.enum(["inbox", "deny"]).default("inbox"),
      /** Whether agents in the background may use MCP servers. */
      mcp: z.boolean().default(false),
      /**
       * Summarises the current work of each in one line. Costs a short answer of its model each time. Off by default.
       */
      summaries: z
        .looseObject({
          /** Seconds between two lines, at least 10. An agent without progress since the last line is skipped. */
          everySeconds: z.int().min(10).max(86_400),
        })
        .optional(),
    })
    .prefault({}),
  /** Age in days after which transcripts are removed. */
  cleanupPeriodDays: z.int().min(1).default(30),
});

function checkPattern(pattern: string, context: z.RefinementCtx): void {
  const message = ownPatternProblem(pattern);
  if (message !== undefined) context.addIssue({ code: "custom", message });
}

export type Settings = z.infer<typeof settingsSchema>;
export type SettingsInput = z.input<typeof settingsSchema>;

/** The newest ids of each family at the time of this version. */
const aliases: Record<string, string> = {
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5",
};

const milliseconds = z.int().positive().max(longestTimer);

const mostOfEach = z.record(z.string().min(1), z.int().positive()).default({});

export const limitsSchema = z.strictObject({
  /** The most agents that run at once in a session. Those that wait for a child or a person do not count. */
  maxRunning: z.int().positive().default(10),
  /** The most agents that run at once: of a type, on a model (alias or id), with a provider. */
  perType: mostOfEach,
  perModel: mostOfEach,
  perProvider: mostOfEach,
  /** Behaviour at a limit: wait in the queue, or fail with `limit_reached`. */
  onLimit: z.enum(["queue", "reject"]).default("queue"),
  /** The greatest depth at which agents may spawn: 1 = only the main agent may. */
  maxSpawnDepth: z.int().nonnegative().default(1),
  maxTurns: z.int().positive().default(50),
  /** Wall-clock limit of one agent, in milliseconds. The clock is stopped while the agent waits. */
  timeout: z
    .int()
    .positive()
    .default(30 * 60_000),
  /** Wall-clock limit of a `process` call without its own. */
  processTimeout: milliseconds.default(5 * 60_000),
  /**
   * Time after which an agent without progress must report and is ended. Its clock stops whenever that of `timeout`
   * does.
   */
  noProgress: milliseconds.default(10 * 60_000),
  /**
   * Time limit of one tool call; the call is ended, and the model reads so. Calls that wait for a person or an agent
   * have none.
   */
  toolTimeout: milliseconds.default(10 * 60_000),
  /** Time in which an agent whose time or turns are over must report. */
  wrapUpTimeout: milliseconds.default(60_000),
  /** Length limit of a result; a longer one is cut, and names the path of the whole text. */
  resultCharacters: z.int().positive().default(30_000),
  /** The most read-only tool calls of one turn that run at once. */
  parallelTools: z.int().positive().default(10),
  /** Time after which a silent model request is abandoned and retried. */
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

/** The limits in the environment; the host's own options win over them. */
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

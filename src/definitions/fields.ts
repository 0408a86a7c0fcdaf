/**
 * The fields of an agent definition, documented for the people who write agents: the reference page and the JSON Schema
 * are generated from this table. An invalid value drops its field, with a diagnostic, never the agent; only a list of
 * more than a thousand entries drops the agent.
 *
 * Schemas are created when a file first uses their field: a start that reads a handful of agents needs a handful of
 * them.
 */
import { z } from "zod";
import { longestTimer } from "../contract/longest-timer.ts";
import { permissionModes, type PermissionMode } from "../contract/resolved-agent.ts";
import { effortSchema, priorityRemedy, prioritySchema } from "../contract/spawn-request.ts";
import { hooksSchema } from "./hooks-field.ts";
import { mcpServersSchema } from "./mcp-field.ts";
import { splitTools } from "./tool-list.ts";

interface Field<Value> {
  /** The field's effect, for authors. */
  readonly about: string;
  readonly example: string;
  readonly schema: () => z.ZodType<Value>;
  /** Known and checked, but nothing in this version acts on it. */
  readonly later?: true;
  /** The part of its effect that this version lacks. */
  readonly lacks?: string;
}

const field = <Value>(
  about: string,
  example: string,
  schema: () => z.ZodType<Value>,
): Field<Value> => ({ about, example, schema });
const later = <Value>(
  about: string,
  example: string,
  schema: () => z.ZodType<Value>,
): Field<Value> => ({ about, example, schema, later: true });

const text = (): z.ZodType<string> => z.string().min(1);
const flag = (): z.ZodType<boolean> => z.boolean();
/**
 * A positive whole number. Quoted numbers are accepted too, because people write `"5"`; other values that JavaScript
 * converts to a number (`true`, `[5]`) are not.
 */
const count = (): z.ZodType<number> =>
  z.union(
    [
      z.int().positive(),
      z
        .string()
        .regex(/^[1-9]\d{0,8}$/)
        .transform(Number),
    ],
    { error: "must be a positive whole number" },
  );
const names = (): z.ZodType<string[]> =>
  z.union([z.array(z.string()), z.string()]).transform(splitTools);

/** All fields but `name` and `description`, which every agent has. */
export const definitionFields = {
  tools: field(
    "Tools that the agent may use: a list, or names separated by commas. Left out or `*`: all. `Bash(git diff *)` limits a tool to a rule, " +
      "`mcp__server` and `mcp__server__*` mean all tools of a server, `Agent(a, b)` lets a main agent spawn only those types.",
    "Read, Grep, Bash(git diff *)",
    names,
  ),
  disallowedTools: field(
    "Tools that the agent may not use, even if `tools` names them.",
    "Write, Edit",
    names,
  ),
  readOnly: field(
    "The agent and all agents below it change nothing, in any mode: they have no tools that edit, and `Bash` runs only commands that " +
      "look. `unless-allowed`: `Bash` also runs commands that a rule allows, such as tests, and asks about all others.",
    "true",
    (): z.ZodType<boolean | "unless-allowed"> =>
      z.union([z.boolean(), z.literal("unless-allowed")]),
  ),
  model: field(
    "`haiku`, `sonnet`, `opus`, a full id, `provider/model`, or `inherit`: the parent's.",
    "haiku",
    text,
  ),
  permissionMode: field(
    "Mode for calls that no rule decides: `plan` changes nothing, `acceptEdits` may change files in the agent's folder, `dontAsk` " +
      "denies instead of asking, `delegate` only works through other agents. A definition can only narrow the parent's mode; the " +
      "host can widen it (`--child-permission-mode`).",
    "plan",
    (): z.ZodType<PermissionMode> =>
      z
        .enum([...permissionModes, "manual"])
        .transform((mode) => (mode === "manual" ? "default" : mode)),
  ),
  maxTurns: field("Turns before the agent must report.", "20", count),
  effort: field(
    "Amount of thinking; a child without it does not think.",
    "high",
    () => effortSchema,
  ),
  timeout: field("Longest time in milliseconds that the agent may run.", "600000", () =>
    z.number().int().positive().max(longestTimer),
  ),
  priority: field(
    "Order of agents that wait for a slot: the higher goes first. `low` is -10, `normal` and `medium` 0, `high` 10, `critical` 20.",
    "high",
    (): z.ZodType<number> =>
      z.union(
        [
          prioritySchema,
          z
            .string()
            .regex(/^-?(1000|\d{1,3})$/)
            .transform(Number),
        ],
        { error: priorityRemedy },
      ),
  ),
  color: field("Colour of the agent's row in views.", "blue", () => z.string()),
  background: field(
    "The agent runs in the background: its parent does not wait for it.",
    "true",
    flag,
  ),
  isolation: {
    ...field("`worktree`: the agent works in its own copy of the repository.", "worktree", () =>
      z.enum(["worktree", "remote"]),
    ),
    lacks: "An agent with this field is refused.",
  },
  omitClaudeMd: field("The agent does not see the CLAUDE.md files.", "true", flag),
  omitGitStatus: field("The agent does not see the snapshot of `git status`.", "true", flag),
  includeConfiguration: field(
    "The agent sees the agent types that were found here, and the paths of their files.",
    "true",
    flag,
  ),
  oneShot: field("The agent answers once; its result does not say how to resume it.", "true", flag),
  criticalSystemReminder_EXPERIMENTAL: field(
    "A sentence shown again after every tool result.",
    "Never edit files.",
    text,
  ),
  entrypoints: field(
    "Surfaces that offer the agent type; default: `cli` and `library`.",
    "[cli]",
    () => z.array(z.enum(["cli", "library", "coordinator"])),
  ),
  aliases: field("Other names of the agent type.", "[guide]", () => z.array(text())),
  memory: {
    ...field(
      "A directory of notes that the agent keeps between sessions: for the `user`, the `project`, or `local` to this checkout. " +
        "Adds Read, Write and Edit for that directory. Inert in a folder that is not trusted; `user` is inert in every project's file.",
      "project",
      () => z.enum(["user", "project", "local"]),
    ),
    lacks: "No notes are kept yet; the added tools work in that directory only.",
  },
  skills: later("Skills that the agent knows from its first turn.", "[pdf, release-notes]", names),
  mcpServers: later(
    "MCP servers: names of configured ones, `{name: configuration}`, or `{serverName, tools}`. Inert in a folder that is not trusted.",
    "[github]",
    mcpServersSchema,
  ),
  requiredMcpServers: later(
    "Servers without which the agent type is not offered.",
    "[github]",
    names,
  ),
  hooks: later(
    "Commands that run on events of this agent. Inert in a folder that is not trusted.",
    "{PreToolUse: [{matcher: Bash, hooks: [{type: command, command: ./check.sh}]}]}",
    hooksSchema,
  ),
  initialPrompt: later(
    "The first prompt if the agent is the main agent and none is given.",
    "Start",
    text,
  ),
  autoCompactWindow: later(
    "Tokens of context after which the history is summarised.",
    "120000",
    count,
  ),
  budget: later("The most that the agent may use: `usd`, `tokens`, or both.", "{usd: 0.5}", () =>
    z
      .strictObject({
        usd: z.number().positive().optional(),
        tokens: z.int().positive().optional(),
      })
      .refine(({ usd, tokens }) => usd !== undefined || tokens !== undefined, "give usd or tokens"),
  ),
  outputSchema: later("A JSON Schema that the agent's result must match.", "{type: object}", () =>
    z.record(z.string(), z.unknown()),
  ),
  fallbackModels: later(
    "Models to try, in this order, if the agent's own cannot be reached.",
    "[sonnet]",
    names,
  ),
} as const satisfies Record<string, Field<unknown>>;

/** Lists that may be written as one text. */
export const listFields: ReadonlySet<string> = new Set(
  Object.entries(definitionFields).flatMap(([name, { schema }]) => (schema === names ? name : [])),
);

export type FieldName = keyof typeof definitionFields;
export type DefinitionFields = {
  readonly [Name in FieldName]?: (typeof definitionFields)[Name] extends Field<infer Value>
    ? Value
    : never;
};
export type Entrypoint = NonNullable<DefinitionFields["entrypoints"]>[number];

/** The schema of a field, or none if there is no such field. */
export function schemaOf(name: string): z.ZodType | undefined {
  if (!Object.hasOwn(definitionFields, name)) return undefined;
  const made = schemas.get(name) ?? definitionFields[name as FieldName].schema();
  schemas.set(name, made);
  return made;
}

const schemas = new Map<string, z.ZodType>();

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
  z.union([
    z.int().positive(),
    z
      .string()
      .regex(/^[1-9]\d{0,8}$/)
      .transform(Number),
  ]);
const names = (): z.ZodType<string[]> =>
  z.union([z.array(z.string()), z.string()]).transform(splitTools);

/** All fields but `name` and `description`, which every agent has. */
export const definitionFields = {
  tools: field(
    "Tools it may use: a list, or names between commas. Left out or `*`: all. `Bash(git diff *)` confines a tool to a rule, " +
      "`mcp__server` and `mcp__server__*` mean all tools of a server, `Agent(a, b)` lets a main agent spawn only those types.",
    "Read, Grep, Bash(git diff *)",
    names,
  ),
  disallowedTools: field("Tools taken away, also from what `tools` names.", "Write, Edit", names),
  readOnly: field(
    "It changes nothing, in every mode and with everything that it starts: no tools that edit, and `Bash` runs only commands that " +
      "look. `unless-allowed`: `Bash` also runs what a rule allows, such as tests, and asks about the rest.",
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
    "How it meets what nobody has allowed: `plan` changes nothing, `acceptEdits` may change files in its folder, `dontAsk` is " +
      "denied what would be asked, `delegate` only works through others. It can only narrow what its parent has: more is up to the " +
      "host (`--child-permission-mode`).",
    "plan",
    (): z.ZodType<PermissionMode> =>
      z
        .enum([...permissionModes, "manual"])
        .transform((mode) => (mode === "manual" ? "default" : mode)),
  ),
  maxTurns: field("Turns before it must report.", "20", count),
  effort: field(
    "How hard it thinks; without it a child does not think.",
    "high",
    () => effortSchema,
  ),
  timeout: field("Wall clock in milliseconds before it is ended.", "600000", () =>
    z.number().int().positive().max(longestTimer),
  ),
  priority: field(
    "Who goes first when agents wait for a slot: higher does. `low` is -10, `normal` and `medium` 0, `high` 10, `critical` 20.",
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
  color: field("How its row is coloured where people watch.", "blue", () => z.string()),
  background: field("Its parent does not wait for it.", "true", flag),
  isolation: {
    ...field("`worktree`: a copy of the repository of its own.", "worktree", () =>
      z.enum(["worktree", "remote"]),
    ),
    lacks: "An agent that asks for it is refused.",
  },
  omitClaudeMd: field("Leaves the CLAUDE.md files out of what it sees.", "true", flag),
  omitGitStatus: field("Leaves the snapshot of `git status` out of what it sees.", "true", flag),
  includeConfiguration: field(
    "Shows it the agent types that were found here, and where their files are.",
    "true",
    flag,
  ),
  oneShot: field("It answers once; its result carries nothing for continuing it.", "true", flag),
  criticalSystemReminder_EXPERIMENTAL: field(
    "A sentence shown again after every tool result.",
    "Never edit files.",
    text,
  ),
  entrypoints: field("Surfaces that offer it; left out: `cli` and `library`.", "[cli]", () =>
    z.array(z.enum(["cli", "library", "coordinator"])),
  ),
  aliases: field("Other names by which it can be asked for.", "[guide]", () => z.array(text())),
  memory: {
    ...field(
      "A directory of notes that it keeps between sessions: of the `user`, the `project`, or `local` to this checkout. " +
        "Adds Read, Write and Edit for that directory. Inert in a folder that is not trusted; `user` is inert in every project's file.",
      "project",
      () => z.enum(["user", "project", "local"]),
    ),
    lacks: "No notes are kept yet; the tools that it adds work in its directory only.",
  },
  skills: later("Skills that it knows from its first turn on.", "[pdf, release-notes]", names),
  mcpServers: later(
    "MCP servers: names of configured ones, `{name: configuration}`, or `{serverName, tools}`. Inert in a folder that is not trusted.",
    "[github]",
    mcpServersSchema,
  ),
  requiredMcpServers: later("It is not offered unless these servers are there.", "[github]", names),
  hooks: later(
    "Commands that run when something happens to this agent. Inert in a folder that is not trusted.",
    "{PreToolUse: [{matcher: Bash, hooks: [{type: command, command: ./check.sh}]}]}",
    hooksSchema,
  ),
  initialPrompt: later(
    "The first prompt when it is the main agent and none is given.",
    "Start",
    text,
  ),
  autoCompactWindow: later("Tokens of context after which it is summarised.", "120000", count),
  budget: later("The most it may spend: `usd`, `tokens`, or both.", "{usd: 0.5}", () =>
    z
      .strictObject({
        usd: z.number().positive().optional(),
        tokens: z.int().positive().optional(),
      })
      .refine(({ usd, tokens }) => usd !== undefined || tokens !== undefined, "give usd or tokens"),
  ),
  outputSchema: later("A JSON Schema that its result must fit.", "{type: object}", () =>
    z.record(z.string(), z.unknown()),
  ),
  fallbackModels: later(
    "Models to try, in this order, when its own cannot be reached.",
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

import { z } from "zod";
import type { Diagnostic } from "../diagnostic.ts";
import { toolName, toolRegistry } from "../tools/registry.ts";
import { effortSchema } from "../spawn-request.ts";
import { closest } from "./closest.ts";
import type { SourceName } from "./sources.ts";

/** One agent type, as its author wrote it: fields of the frontmatter plus where it came from. Nothing is decided yet. */
export interface AgentDefinition extends DefinitionFields {
  readonly name: string;
  /** Tells a parent model when to delegate to it. */
  readonly description: string;
  /** The system prompt. */
  readonly prompt: string;
  readonly source: SourceName;
  /** The file it was read from, if it was. */
  readonly file: string | null;
}

const toolList = z.union([z.array(z.string()), z.string()]).transform(splitTools);
const flag = z.boolean();

/** Optional fields. A value that does not fit drops its field, with a diagnostic, never the agent. */
export const definitionFields = {
  /** Tools it may use; absent or `*` = all. */
  tools: toolList,
  /** Tools taken away from that. */
  disallowedTools: toolList,
  /** `haiku`, `sonnet`, `opus`, a full id, `provider/model` or `inherit`. */
  model: z.string().min(1),
  permissionMode: z.enum([
    "default",
    "manual",
    "plan",
    "dontAsk",
    "acceptEdits",
    "auto",
    "bypassPermissions",
    "bubble",
    "delegate",
  ]),
  maxTurns: z.coerce.number().int().positive(),
  /** `low` to `max`: how hard it thinks; without it a child does not. */
  effort: effortSchema,
  /** Wall clock in milliseconds. */
  timeout: z.number().int().positive(),
  /** How its row is coloured where people watch. */
  color: z.string(),
  /** Its parent does not wait for it. */
  background: flag,
  isolation: z.enum(["worktree", "remote"]),
  /** Leave the CLAUDE.md chain out of what it sees. */
  omitClaudeMd: flag,
  /** Leave the snapshot of `git status` out of what it sees. */
  omitGitStatus: flag,
  /** Show it the agents and settings that were found here. */
  includeConfiguration: flag,
  /** It answers once; its result carries nothing for continuing it. */
  oneShot: flag,
  /** Shown again after every tool result. */
  criticalSystemReminder_EXPERIMENTAL: z.string().min(1),
  /** Surfaces that offer it; absent = `cli` and `library`. */
  entrypoints: z.array(z.enum(["cli", "library", "coordinator"])),
  /** Other names by which it can be asked for. */
  aliases: z.array(z.string().min(1)),
} as const;

type FieldName = keyof typeof definitionFields;
export type DefinitionFields = {
  readonly [Name in FieldName]?: z.infer<(typeof definitionFields)[Name]>;
};
export type Entrypoint = NonNullable<DefinitionFields["entrypoints"]>[number];

/** Known to authors, read by later parts of the system: neither unknown nor an error. */
const reservedFields: ReadonlySet<string> = new Set([
  "skills",
  "mcpServers",
  "hooks",
  "memory",
  "initialPrompt",
  "requiredMcpServers",
  "autoCompactWindow",
  "budget",
  "priority",
  "outputSchema",
  "fallbackModels",
]);

/** Modes that would allow more than the default does. */
const wideModes: ReadonlySet<unknown> = new Set([
  "acceptEdits",
  "auto",
  "bypassPermissions",
  "bubble",
]);

/** A definition from plain fields, or none when its name or description is missing; every problem is reported. */
export function toDefinition(
  fields: Record<string, unknown>,
  origin: {
    prompt: string;
    source: SourceName;
    file: string | null;
    /** For people: the file, or the option. */
    where: string;
    /** In which line each field stands. */
    lines?: ReadonlyMap<string, number>;
  },
): { definition: AgentDefinition | null; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const report = (
    problem: Pick<Diagnostic, "severity" | "code" | "message">,
    field: string,
  ): void => {
    diagnostics.push({
      ...problem,
      file: origin.where,
      line: origin.lines?.get(field) ?? 1,
      column: 1,
      field,
    });
  };
  const { name, description } = fields;
  const wrongName = nameProblem(name);
  if (wrongName !== null)
    report({ severity: "error", code: "missing", message: wrongName }, "name");
  if (typeof description !== "string" || description === "") {
    const message = "'description' must be a non-empty text that says when to use this agent.";
    report({ severity: "error", code: "missing", message }, "description");
  }
  if (diagnostics.length > 0) {
    const agent = typeof name === "string" ? { agent: name } : {};
    return { definition: null, diagnostics: diagnostics.map((one) => ({ ...one, ...agent })) };
  }

  const kept: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (field === "name" || field === "description" || value === undefined || value === null)
      continue;
    const read = readField(field, value);
    if ("value" in read) kept[field] = read.value;
    if (read.problem !== undefined) report(read.problem, field);
  }
  for (const field of ["tools", "disallowedTools"] as const) {
    for (const problem of toolProblems(kept[field] as string[] | undefined, field))
      report(problem, field);
  }
  if (isAllTools(kept["tools"])) delete kept["tools"];
  const definition: AgentDefinition = {
    ...(kept as DefinitionFields),
    name: name as string,
    description: (description as string).replaceAll("\\n", "\n"),
    prompt: origin.prompt,
    source: origin.source,
    file: origin.file,
  };
  return { definition, diagnostics };
}

type Problem = Pick<Diagnostic, "severity" | "code" | "message">;

function readField(field: string, value: unknown): { value?: unknown; problem?: Problem } {
  if (!Object.hasOwn(definitionFields, field)) return { problem: unknownField(field) };
  const parsed = definitionFields[field as FieldName].safeParse(value);
  if (!parsed.success) {
    const reason = parsed.error.issues.map((issue) => issue.message).join("; ");
    return {
      problem: {
        severity: "warning",
        code: "invalid",
        message: `'${field}' does not fit and is left out: ${reason}.`,
      },
    };
  }
  if (field !== "permissionMode" || !wideModes.has(parsed.data)) return { value: parsed.data };
  const message = `permissionMode '${String(parsed.data)}' is not acted on by this version; the agent gets what allowedTools allows.`;
  return { value: parsed.data, problem: { severity: "warning", code: "unsupported", message } };
}

/** Entries that will not do what their author expects. Tools of other programs are none of our business. */
function toolProblems(
  tools: readonly string[] = [],
  field: "tools" | "disallowedTools",
): Problem[] {
  return tools.flatMap((entry): Problem[] => {
    const tool = toolName(entry);
    const rule = /\((.*)\)$/s.exec(entry)?.[1];
    if (
      field === "tools" &&
      toolRegistry.get(tool)?.kind === "leaf" &&
      rule !== undefined &&
      rule !== "*"
    ) {
      const message = `'tools' confines ${tool} to '${rule}'; this version cannot check rules and denies its calls. Write '${tool}' to lift that.`;
      return [{ severity: "warning", code: "unsupported", message }];
    }
    const meant = toolRegistry.has(tool) ? undefined : closest(tool, [...toolRegistry.keys()]);
    if (meant === undefined) return [];
    return [
      {
        severity: "warning",
        code: "unknown",
        message: `There is no tool '${tool}'. Did you mean '${meant}'?`,
      },
    ];
  });
}

function unknownField(field: string): Problem {
  if (reservedFields.has(field)) {
    const message = `'${field}' is not acted on by this version; the agent runs without it.`;
    return { severity: "warning", code: "unsupported", message };
  }
  const meant = closest(field, [...Object.keys(definitionFields), ...reservedFields]);
  if (meant === undefined)
    return {
      severity: "info",
      code: "unknown",
      message: `'${field}' is not a field of agents; it is ignored.`,
    };
  // A misspelt 'tools' would give the agent every tool, so this is said aloud.
  return {
    severity: "warning",
    code: "unknown",
    message: `'${field}' is not a field of agents and is ignored. Did you mean '${meant}'?`,
  };
}

function nameProblem(name: unknown): string | null {
  if (typeof name !== "string" || name === "") return "'name' must be a non-empty text.";
  if (name.startsWith("-")) return "'name' must not start with '-'.";
  if (name.includes(":")) return "'name' must not contain ':', which is kept for plugins.";
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name))
    return "'name' must not contain control characters.";
  return null;
}

/** Commas split outside parentheses; a text without any such comma splits at blanks. */
function splitTools(tools: string | string[]): string[] {
  if (Array.isArray(tools))
    return tools.flatMap((entry) => splitOutside(entry, (character) => character === ","));
  const parts = splitOutside(tools, (character) => character === ",");
  return parts.length > 1 || tools.includes(",")
    ? parts
    : splitOutside(tools, (character) => /\s/.test(character));
}

/** In one pass: the text is a stranger's and may be long. */
function splitOutside(text: string, separates: (character: string) => boolean): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "(") depth += 1;
    else if (character === ")") depth = Math.max(0, depth - 1);
    if (at < text.length && (depth > 0 || !separates(character))) continue;
    parts.push(text.slice(start, at).trim());
    start = at + 1;
  }
  return parts.filter((part) => part !== "");
}

function isAllTools(tools: unknown): boolean {
  return Array.isArray(tools) && tools.length === 1 && tools[0] === "*";
}

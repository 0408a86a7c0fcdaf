import { z } from "zod";
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

export interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line: number;
  readonly field: string | null;
  /** What is wrong and what to write instead. */
  readonly message: string;
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
  "effort",
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
  origin: { prompt: string; source: SourceName; file: string | null; where: string },
): { definition: AgentDefinition | null; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const report = (
    severity: Diagnostic["severity"],
    field: string | null,
    message: string,
  ): void => {
    diagnostics.push({ severity, file: origin.where, line: 1, field, message });
  };
  const { name, description } = fields;
  const problem = nameProblem(name);
  if (problem !== null) report("error", "name", problem);
  if (typeof description !== "string" || description === "") {
    report(
      "error",
      "description",
      "'description' must be a non-empty text that says when to use this agent.",
    );
  }
  if (diagnostics.length > 0) return { definition: null, diagnostics };

  const kept: Record<string, unknown> = {};
  for (const [field, schema] of Object.entries(definitionFields)) {
    const value = fields[field];
    if (value === undefined || value === null) continue;
    const parsed = schema.safeParse(value);
    if (parsed.success) kept[field] = parsed.data;
    else
      report(
        "warning",
        field,
        `'${field}' is ignored: ${z.prettifyError(parsed.error).replaceAll(/^✖ /gm, "")}`,
      );
  }
  for (const field of Object.keys(fields)) {
    if (
      field !== "name" &&
      field !== "description" &&
      !(field in definitionFields) &&
      reservedFields.has(field)
    ) {
      report(
        "warning",
        field,
        `'${field}' is not acted on by this version; the agent runs without it.`,
      );
    }
  }
  if (wideModes.has(kept["permissionMode"])) {
    const message = `permissionMode '${String(kept["permissionMode"])}' is not acted on by this version; the agent gets what allowedTools allows.`;
    report("warning", "permissionMode", message);
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

function nameProblem(name: unknown): string | null {
  if (typeof name !== "string" || name === "") return "'name' must be a non-empty text.";
  if (name.startsWith("-")) return "'name' must not start with '-'.";
  if (name.includes(":")) return "'name' must not contain ':', which is kept for plugins.";
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name))
    return "'name' must not contain control characters.";
  return null;
}

/** Commas split outside parentheses; a text without any comma splits at blanks. */
function splitTools(tools: string | string[]): string[] {
  const parts = typeof tools === "string" ? [tools] : tools;
  return parts.flatMap((part) => {
    const separator = /,(?![^(]*\))/;
    const pieces =
      separator.test(part) || Array.isArray(tools)
        ? part.split(separator)
        : part.split(/\s+(?![^(]*\))/);
    return pieces.map((piece) => piece.trim()).filter((piece) => piece !== "");
  });
}

function isAllTools(tools: unknown): boolean {
  return Array.isArray(tools) && tools.length === 1 && tools[0] === "*";
}

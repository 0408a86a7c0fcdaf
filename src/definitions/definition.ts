import type { Diagnostic } from "../contract/diagnostic.ts";
import { toolNames } from "../tools/known-tools.ts";
import { toolName, toolRegistry } from "../tools/registry.ts";
import { ruleProblem } from "../permissions/rules/rule-problem.ts";
import { closest } from "../platform/closest.ts";
import type { FieldPlace } from "./frontmatter.ts";
import {
  definitionFields,
  listFields,
  schemaOf,
  type DefinitionFields,
  type FieldName,
} from "./fields.ts";
import { splitTools } from "./tool-list.ts";
import type { SourceName } from "./sources.ts";
import { mostEntries, tooLong } from "./too-long.ts";
import { wording } from "../contract/wording.ts";

/** One agent type, as its author wrote it: the fields of the frontmatter plus the source. Nothing is decided yet. */
export interface AgentDefinition extends DefinitionFields {
  readonly name: string;
  /** Tells a parent model when to delegate to the agent. */
  readonly description: string;
  /** The system prompt. */
  readonly prompt: string;
  readonly source: SourceName;
  /** Path of the file, if it was read from one. */
  readonly file: string | null;
}

/**
 * Builds a definition from plain fields, and reports every problem. Returns none if the name or description is missing
 * or a list is too long.
 */
export function toDefinition(
  fields: Record<string, unknown>,
  origin: {
    prompt: string;
    source: SourceName;
    file: string | null;
    /** The file or option, for display. */
    where: string;
    places?: ReadonlyMap<string, FieldPlace>;
    /** Name of an agent without a name of its own. */
    fallbackName?: string;
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
      ...(origin.places?.get(field) ?? { line: 1, column: 1 }),
      field,
    });
  };
  const { description } = fields;
  const name = fields["name"] ?? origin.fallbackName;
  const wrongName = nameProblem(name);
  if (wrongName !== null)
    report({ severity: "error", code: "missing", message: wrongName }, "name");
  if (typeof description !== "string" || description === "") {
    const message = "'description' must be a non-empty text that says when to use this agent.";
    report({ severity: "error", code: "missing", message }, "description");
  }
  for (const [field, message] of oversized(fields))
    report({ severity: "error", code: "invalid", message }, field);
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
    for (const problem of read.problems) {
      // Unsupported fields of our own agents are known to us.
      if (origin.source !== "built-in" || problem.code !== "unsupported") report(problem, field);
    }
  }
  const foreign = diagnostics.filter(
    ({ severity, code }) => severity === "info" && code === "unknown",
  );
  if (foreign.length > 1) {
    const names = foreign.map(({ field }) => `'${field}'`).join(", ");
    const message = `Unknown fields are ignored: ${names}.`;
    const gone = new Set(foreign);
    const others = diagnostics.filter((one) => !gone.has(one));
    diagnostics.splice(0, Infinity, ...others, { ...foreign[0], message } as Diagnostic);
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

type FieldProblem = Pick<Diagnostic, "severity" | "code" | "message">;

/** Splits a list that is written as text into its entries. */
function asList(field: string, value: unknown): unknown {
  if (!listFields.has(field)) return value;
  const texts = typeof value === "string" ? [value] : value;
  if (!Array.isArray(texts) || texts.length > mostEntries) return value;
  return texts.flatMap((one: unknown) => (typeof one === "string" ? splitTools(one) : [one]));
}

/** Fields with more entries than a person writes, each with its problem. */
function oversized(fields: Record<string, unknown>): [field: string, message: string][] {
  const names = Object.keys(fields);
  if (names.length > mostEntries) {
    const message = `The file has ${names.length} fields, and the limit is ${mostEntries}: it is not loaded. Remove the unknown fields.`;
    return [[names[0] ?? "name", message]];
  }
  return names.flatMap((field) => {
    const message = tooLong(field, asList(field, fields[field]));
    return message === null ? [] : [[field, message] as [string, string]];
  });
}

function readField(field: string, value: unknown): { value?: unknown; problems: FieldProblem[] } {
  const parsed = schemaOf(field)?.safeParse(value, { error: wording });
  if (parsed === undefined) return { problems: [unknownField(field)] };
  if (!parsed.success) {
    const reason = parsed.error.issues
      .map((issue) => {
        const message = issue.code === "invalid_key" ? issue.issues[0]?.message : issue.message;
        return issue.path.length === 0 ? message : `${issue.path.join(".")}: ${message}`;
      })
      .join("; ");
    const { about, example } = definitionFields[field as FieldName];
    const message = `'${field}' is not valid and is ignored: ${reason}. ${about} For example: ${field}: ${example}`;
    return { problems: [{ severity: "warning", code: "invalid", message }] };
  }
  return { value: parsed.data, problems: unheeded(field, parsed.data) };
}

/** Problems of a valid field that has no effect. */
function unheeded(field: string, value: unknown): FieldProblem[] {
  const message =
    "later" in definitionFields[field as FieldName]
      ? `'${field}' is not supported by this version; the agent runs without it.`
      : undefined;
  if (message !== undefined) return [{ severity: "warning", code: "unsupported", message }];
  const { lacks } = definitionFields[field as FieldName] as { lacks?: string };
  if (lacks === undefined || value === false) return [];
  return [
    { severity: "info", code: "unsupported", message: `'${field}' in this version: ${lacks}` },
  ];
}

/** Problems of entries that will not do what their author expects. */
function toolProblems(
  tools: readonly string[] = [],
  field: "tools" | "disallowedTools",
): FieldProblem[] {
  const known = toolNames();
  const foreign = tools
    .map(toolName)
    .filter((tool) => tool !== "*" && !known.includes(tool) && closest(tool, known) === undefined);
  const named = foreign.map((tool) => `'${tool}'`).join(", ");
  const message = `Tools in '${field}' that this version does not have are ignored: ${named}.`;
  const odd: FieldProblem[] =
    foreign.length === 0 ? [] : [{ severity: "info", code: "unsupported", message }];
  const misspelt = tools.flatMap((entry): FieldProblem[] => {
    const tool = toolName(entry);
    const rule = /\((.*)\)$/s.exec(entry)?.[1];
    const confines = field === "tools" && toolRegistry.get(tool)?.kind === "leaf";
    const problem = confines && rule !== undefined ? ruleProblem("allow", entry) : null;
    if (problem !== null)
      return [{ severity: "warning", code: "invalid", message: `'tools': ${problem}` }];
    const meant = known.includes(tool) ? undefined : closest(tool, known);
    if (meant === undefined) return [];
    return [
      {
        severity: "warning",
        code: "unknown",
        message: `There is no tool '${tool}'. Did you mean '${meant}'?`,
      },
    ];
  });
  return [...misspelt, ...odd];
}

function unknownField(field: string): FieldProblem {
  const meant = meantField(field);
  if (meant === undefined)
    return {
      severity: "info",
      code: "unknown",
      message: `Unknown field '${field}' is ignored.`,
    };
  if (meant === "tools") {
    const message = `Unknown field '${field}' is ignored, so the agent has all tools. Did you mean 'tools'?`;
    return { severity: "warning", code: "unknown", message };
  }
  // A misspelt 'tools' would give the agent every tool, so it is reported.
  return {
    severity: "warning",
    code: "unknown",
    message: `Unknown field '${field}' is ignored. Did you mean '${meant}'?`,
  };
}

/** The field that an unknown one probably means: people use the same few in all their files. */
function meantField(field: string): string | undefined {
  // Field names of skills and of the command line.
  if (field === "allowedTools" || field === "allowed-tools") return "tools";
  const known = meantFields.get(field);
  if (known !== undefined || meantFields.has(field)) return known;
  const meant = closest(field, ["name", "description", ...Object.keys(definitionFields)]);
  if (meantFields.size < 1000) meantFields.set(field, meant);
  return meant;
}

const meantFields = new Map<string, string | undefined>();

function nameProblem(name: unknown): string | null {
  if (typeof name !== "string" || name === "") return "'name' must be a non-empty text.";
  if (name.startsWith("-")) return "'name' must not start with '-'.";
  if (name.includes(":")) return "'name' must not contain ':', which is kept for plugins.";
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name))
    return "'name' must not contain control characters.";
  return null;
}

function isAllTools(tools: unknown): boolean {
  return Array.isArray(tools) && tools.length === 1 && tools[0] === "*";
}

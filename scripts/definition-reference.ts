// Generates references from code, so that they cannot contradict it: the JSON Schemas of agent files and settings, and
// the tables of docs/agent-files.md. The text around those tables is written by hand.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { definitionFields } from "../src/definitions/fields.ts";
import { parseFrontmatter } from "../src/definitions/frontmatter.ts";
import { hookEvents } from "../src/definitions/hooks-field.ts";
import { sources, type SourceName } from "../src/definitions/sources.ts";
import { settingsSchema } from "../src/settings/settings.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Every generated file with its expected content. */
export async function references(): Promise<Map<string, string>> {
  const fields = await documentedFields();
  const page = "docs/agent-files.md";
  return new Map([
    ["schema/agent.schema.json", print(agentSchema(fields))],
    ["schema/settings.schema.json", print(settingsJsonSchema())],
    [
      page,
      withTables(readFileSync(join(root, page), "utf8"), {
        fields: fieldTable(fields.filter(({ later }) => !later)),
        later: fieldTable(fields.filter(({ later }) => later)),
        sources: sourceTable(),
      }),
    ],
  ]);
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

interface DocumentedField {
  name: string;
  about: string;
  /** The example as written in a file. */
  example: string;
  /** The parsed value of the example. */
  value: unknown;
  schema: JsonSchema;
  later: boolean;
  lacks: string;
}

async function documentedFields(): Promise<DocumentedField[]> {
  const text: JsonSchema = { type: "string", minLength: 1 };
  const always: [name: string, about: string, example: string][] = [
    [
      "name",
      "What it is asked for by. Required. Not `:`, which is kept for plugins, and no `-` at the start.",
      "reviewer",
    ],
    [
      "description",
      "Tells a parent when to hand work to it. Required. `\\n` in it is a new line.",
      "Reviews a change. Use it before every commit.",
    ],
  ];
  const rows: Row[] = [
    ...always.map(([name, about, example]) => ({ name, about, example, schema: text })),
    ...Object.entries(definitionFields).map(([name, { schema, ...field }]) => ({
      name,
      ...field,
      schema: name === "hooks" ? knownEvents(jsonSchema(schema())) : jsonSchema(schema()),
    })),
  ];
  return Promise.all(
    rows.map(async ({ later = false, lacks = "", ...row }) => ({
      ...row,
      value: await read(row.name, row.example),
      later,
      lacks,
    })),
  );
}

type Row = Omit<DocumentedField, "value" | "later" | "lacks"> &
  Partial<Pick<DocumentedField, "later" | "lacks">>;

async function read(name: string, example: string): Promise<unknown> {
  const parsed = await parseFrontmatter(`---\n${name}: ${example}\n---\n`);
  if (parsed.kind !== "fields") throw new Error(`The example of '${name}' is not read: ${example}`);
  return parsed.fields[name];
}

function agentSchema(fields: readonly DocumentedField[]): JsonSchema {
  return {
    $schema: draft,
    title: "Frontmatter of an agent file",
    type: "object",
    properties: Object.fromEntries(
      fields.map(({ name, value, schema, ...field }) => {
        const description = [field.about, limits(field)].filter((part) => part !== "").join(" ");
        return [name, { description, ...schema, examples: [value] }];
      }),
    ),
    required: ["name", "description"],
    additionalProperties: true,
  };
}

function settingsJsonSchema(): JsonSchema {
  const schema = jsonSchema(settingsSchema);
  for (const [path, description] of settingsComments()) {
    const place = path.reduce<JsonSchema | undefined>(
      (at, key) => at?.properties?.[key] as JsonSchema | undefined,
      schema,
    );
    if (place === undefined) throw new Error(`There is no setting '${path.join(".")}'.`);
    place.description = description;
  }
  return { $schema: draft, title: "Settings of Retinue", ...schema };
}

/** The comments in the schema, which are its documentation; the indentation of a key gives its place. */
function settingsComments(): [path: string[], text: string][] {
  const source = readFileSync(join(root, "src/settings/settings.ts"), "utf8");
  const body = /settingsSchema = z\.looseObject\(\{\n(.*?)\n\}\);/s.exec(source)?.[1] ?? "";
  const commented = /\/\*\*((?:(?!\*\/).)*)\*\/\n( {2}| {6})(\w+):/gs;
  const keys = [...body.matchAll(/^ {2}(\w+):/gm)];
  return [...body.matchAll(commented)].map(
    ({ index, 1: text = "", 2: indent = "", 3: key = "" }) => {
      const outer = keys.findLast((one) => one.index < index)?.[1] ?? "";
      const line = text.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim();
      return [indent.length === 2 ? [key] : [outer, key], line];
    },
  );
}

const draft = "https://json-schema.org/draft/2020-12/schema";

function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema: one }) => {
      if (one.maximum === Number.MAX_SAFE_INTEGER) delete one.maximum;
    },
  });
  return rest;
}

function knownEvents(schema: JsonSchema): JsonSchema {
  return { ...schema, propertyNames: { enum: [...hookEvents] } };
}

function print(schema: JsonSchema): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function limits({ later, lacks }: Pick<DocumentedField, "later" | "lacks">): string {
  if (later) return "Not supported by this version.";
  return lacks === "" ? "" : `In this version: ${lacks}`;
}

function fieldTable(fields: readonly DocumentedField[]): string {
  const rows = fields.map(({ name, about, example, schema, lacks }) => [
    `\`${name}\``,
    lacks === "" ? about : `${about} **In this version:** ${lacks}`,
    accepts(schema),
    `\`${name}: ${example}\``,
  ]);
  return table([["Field", "What it does", "Accepts", "Example"], ...rows]);
}

/** The accepted values in words. */
function accepts(schema: JsonSchema): string {
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map((one) => accepts(one)))].join(" or ");
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  switch (schema.type) {
    case "boolean":
      return "`true`, `false`";
    case "integer":
    case "number":
      return numbers(schema);
    case "array":
      return (schema.items as JsonSchema).enum === undefined
        ? "list"
        : `list of ${accepts(schema.items as JsonSchema)}`;
    case "object":
      return "map";
    default:
      return "text";
  }
}

function numbers({ minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const least = minimum ?? (exclusiveMinimum === 0 ? 1 : undefined);
  const from = least === undefined ? "" : ` from ${least}`;
  return `whole number${from}${maximum === undefined ? "" : ` to ${maximum}`}`;
}

const places = {
  policy:
    "`.claude/agents/**` where an administrator keeps policies: `/etc/claude-code` on Linux, `/Library/Application Support/ClaudeCode` on macOS",
  programmatic: "`--agents` on the command line; `agents` and `registerAgents` of the library",
  project:
    "`.claude/agents/**` in the working directory and each directory above it up to the repository's root, the nearest first; then those of `--add-dir`",
  user: "`agents/**` in `$CLAUDE_CONFIG_DIR`, else in `~/.claude`",
  plugin: "`agents/**` of plugins, as `plugin:name`; see [configuration](configuration.md#plugins)",
  "built-in": "the package",
} as const satisfies Record<SourceName, string>;

function sourceTable(): string {
  const rows = (Object.keys(sources) as SourceName[]).map((name) => [
    String(sources[name]),
    name,
    places[name],
  ]);
  return table([["Priority", "Source", "Where"], ...rows]);
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Puts each table between `<!-- name -->` and `<!-- /name -->`. */
function withTables(page: string, tables: Record<string, string>): string {
  return Object.entries(tables).reduce((text, [name, content]) => {
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`The page has no place for '${name}'.`);
    return `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`;
  }, page);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of await references()) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

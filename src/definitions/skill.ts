import { z } from "zod";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { effortSchema } from "../contract/spawn-request.ts";
import type { FieldPlace } from "./frontmatter.ts";
import { splitTools } from "./tool-list.ts";
import { wording } from "../contract/wording.ts";

/** One skill, as its author wrote it. Nothing is decided yet. */
export interface Skill extends SkillFields {
  /** Name: that of its directory, after `plugin:` in a plugin. */
  readonly name: string;
  readonly source: SkillSource;
  readonly plugin?: string;
  /** Purpose; by default the beginning of its body. */
  readonly description: string;
  /** Description and use together, within the limit of a list of skills. */
  readonly listing: string;
  readonly body: string;
  readonly file: string;
  /** Directory of the files that its body refers to. */
  readonly directory: string;
}

export type SkillSource = "policy" | "project" | "user" | "plugin";

const text = z.string().min(1);
const toolList = z.union([z.array(z.string()), z.string()]).transform(splitTools);
/** A list, or one text with commas; commas inside braces belong to the pattern. */
const patterns = z
  .union([
    z.array(z.string()),
    z.string().transform((all) => all.match(/(?:[^,{]|\{[^}]*\}?)+/g) ?? []),
  ])
  .transform((items) => items.map((item) => item.trim()).filter((item) => item !== ""));
const words: ReadonlyMap<unknown, boolean> = new Map([
  ...["true", "yes", "on", "1", 1].map((word) => [word, true] as const),
  ...["false", "no", "off", "0", 0].map((word) => [word, false] as const),
]);
const flag = z.preprocess(
  (value) => words.get(typeof value === "string" ? value.toLowerCase() : value) ?? value,
  z.boolean(),
);

/** Fields by their names in the file. An invalid value drops its field, never the skill. */
const fields = {
  name: ["displayName", text],
  when_to_use: ["whenToUse", text],
  "allowed-tools": ["allowedTools", toolList],
  "disallowed-tools": ["disallowedTools", toolList],
  model: ["model", text],
  effort: ["effort", effortSchema],
  context: ["context", z.enum(["fork"])],
  agent: ["agent", text],
  "disable-model-invocation": ["disableModelInvocation", flag],
  "user-invocable": ["userInvocable", flag],
  paths: ["paths", patterns],
  // YAML parses `[file] [line]` without quotes as a list.
  "argument-hint": [
    "argumentHint",
    z.union([text, z.array(z.string()).transform((items) => `[${items.join(", ")}]`)]),
  ],
} as const satisfies Record<string, readonly [string, z.ZodType]>;

type Fields = typeof fields;
export type SkillFields = {
  readonly [Key in keyof Fields as Fields[Key][0]]?: z.infer<Fields[Key][1]>;
};

const longestListing = 1536;

/** Builds a skill from the fields of its frontmatter; all of them are optional, and unknown ones are ignored. */
export function toSkill(
  given: Record<string, unknown>,
  origin: Pick<Skill, "name" | "source" | "plugin" | "body" | "file" | "directory">,
  places: ReadonlyMap<string, FieldPlace>,
): { skill: Skill; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const drop = (field: string, reason: string): void => {
    const message = `'${field}' is not valid and is ignored: ${reason}.`;
    const { file } = origin;
    const place = places.get(field) ?? { line: 1, column: 1 };
    diagnostics.push({ severity: "warning", code: "invalid", file, ...place, field, message });
  };
  const kept: Record<string, unknown> = {};
  for (const [field, [property, schema]] of Object.entries(fields)) {
    const value = Object.hasOwn(given, field) ? given[field] : undefined;
    if (value === undefined || value === null || value === "") continue;
    const parsed = schema.safeParse(value, { error: wording });
    if (parsed.success) kept[property] = parsed.data;
    else drop(field, parsed.error.issues.map(({ message }) => message).join("; "));
  }
  const known = kept as SkillFields;
  const stated = given["description"] ?? "";
  if (typeof stated !== "string") drop("description", "must be text");
  const description =
    typeof stated === "string" && stated.trim() !== "" ? stated : opening(origin.body);
  const listing = cut([description, known.whenToUse].filter(Boolean).join(" - "));
  return { skill: { ...known, ...origin, description, listing }, diagnostics };
}

/** The first heading or paragraph of a body. */
function opening(body: string): string {
  const [first = ""] = body.trimStart().split(/\n[ \t]*\n/, 1);
  const [line = ""] = first.split("\n", 1);
  const heading = /^#{1,6}[ \t]+(.*)$/.exec(line)?.[1];
  return (
    heading?.trim() ??
    first
      .split("\n")
      .map((part) => part.trim())
      .join(" ")
      .trim()
  );
}

function cut(whole: string): string {
  if (whole.length <= longestListing) return whole;
  // Half a surrogate pair is no character.
  return `${whole.slice(0, longestListing - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

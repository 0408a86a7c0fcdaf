import { basename } from "node:path";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { diagnose, shown } from "../plugins/diagnose.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import type { Plugin } from "../plugins/read-plugin.ts";
import { substitute } from "../plugins/substitute.ts";
import { toDefinition, type AgentDefinition } from "./definition.ts";
import { parseFrontmatter, type FieldPlace, type Frontmatter } from "./frontmatter.ts";
import { largestDefinition, type Loaded } from "./definition-file.ts";

/**
 * Loads at most one definition from a plugin's file, called `plugin:name`, or `plugin:folder:name` in a folder. Unlike
 * other files it needs no frontmatter: its file name and plugin name it then. Never throws.
 */
export async function loadPluginAgentFile(
  file: string,
  options: {
    plugin: Pick<Plugin, "name" | "root">;
    /** Folders between the plugin's directory of agents and the file. */
    folders: readonly string[];
  },
): Promise<Loaded> {
  const { plugin, folders } = options;
  const fallback = basename(file, ".md");
  const identify = (name: string): string => [plugin.name, ...folders, name].join(":");
  /** Removes other names: one of them could be a built-in's. */
  const identified = (definition: AgentDefinition): AgentDefinition => {
    const { aliases: _, ...rest } = definition;
    return { ...rest, name: identify(definition.name) };
  };
  const folder = folders.find((name) => /[:\u0000-\u001f\u007f-\u009f]/.test(name));
  if (folder !== undefined) {
    const message = `The folder ${shown(folder)} is part of the agent's name and must not contain ':' or control characters. Rename it.`;
    return failed(diagnose(file, { severity: "error", code: "invalid", message }));
  }
  const read = readSmallFile(file, largestDefinition);
  if (read.kind !== "text") {
    const message =
      read.kind === "missing" ? "The file is gone." : `It is not read: ${read.reason}.`;
    const agent = identify(fallback);
    return failed(diagnose(file, { severity: "error", code: "unreadable", agent, message }));
  }

  const parsed = await parseFrontmatter(read.text);
  const { fields, places, diagnostics } = readFields(parsed, file);
  const stated = complete(fields, {
    name: fallback,
    description: `Agent from ${plugin.name} plugin`,
  });
  const { definition, diagnostics: found } = toDefinition(stated.fields, {
    prompt: substitute(parsed.body.trim(), { CLAUDE_PLUGIN_ROOT: plugin.root }),
    source: "plugin",
    file,
    where: file,
    places,
  });
  return {
    definitions: definition === null ? [] : [identified(definition)],
    diagnostics: [
      ...diagnostics,
      ...(parsed.kind === "fields" ? stated.problems : []).map(({ field, message }) =>
        diagnose(file, {
          severity: "warning",
          code: "repaired",
          field,
          ...places.get(field),
          message,
        }),
      ),
      ...found.map((one) =>
        one.agent === undefined ? one : { ...one, agent: identify(one.agent) },
      ),
    ],
    places,
  };
}

function readFields(
  parsed: Frontmatter,
  file: string,
): {
  fields: Record<string, unknown>;
  places: ReadonlyMap<string, FieldPlace>;
  diagnostics: readonly Diagnostic[];
} {
  if (parsed.kind === "fields") {
    const diagnostics = parsed.notices.map((notice) => ({ ...notice, file }));
    return { fields: parsed.fields, places: parsed.places, diagnostics };
  }
  const why =
    parsed.kind === "none"
      ? parsed.reason
      : `The frontmatter is not valid YAML: ${parsed.message}. Quote the value.`;
  const problem = {
    severity: "warning",
    code: "repaired",
    line: parsed.kind === "broken" ? parsed.line : 1,
    message: `${why} Until then the agent is named after its file and has no other fields.`,
  } as const;
  return { fields: {}, places: new Map(), diagnostics: [diagnose(file, problem)] };
}

/** Adds a missing name and description; one that is not a text counts as missing. */
function complete(
  fields: Record<string, unknown>,
  defaults: { name: string; description: string },
): { fields: Record<string, unknown>; problems: { field: string; message: string }[] } {
  const missing = (["name", "description"] as const).filter(
    (field) => typeof fields[field] !== "string" || fields[field] === "",
  );
  return {
    fields: { ...fields, ...Object.fromEntries(missing.map((field) => [field, defaults[field]])) },
    problems: missing.map((field) => ({
      field,
      message: `'${field}' must be a non-empty text; ${shown(defaults[field])} is used instead.`,
    })),
  };
}

function failed(diagnostic: Diagnostic): Loaded {
  return { definitions: [], diagnostics: [diagnostic] };
}

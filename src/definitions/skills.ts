import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { realPath } from "../platform/files/real-path.ts";
import { diagnose, shown } from "../plugins/diagnose.ts";
import { isInside } from "../platform/files/is-inside.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { fullBudget, listEntries } from "../plugins/walk-plugin.ts";
import { kindOf } from "../platform/files/kind-of.ts";
import { closest } from "../platform/closest.ts";
import { largestDefinition } from "./definition-file.ts";
import { parseFrontmatter, type FieldPlace } from "./frontmatter.ts";
import { toSkill, type Skill, type SkillSource } from "./skill.ts";

export interface SkillPlace {
  /** Directory with one directory for each skill. A directory that a plugin names may be a skill itself. */
  directory: string;
  source: SkillSource;
  plugin?: string;
  /** Root; skills that a link takes out of it are left out. */
  root?: string;
}

export interface LoadedSkills {
  skills: Skill[];
  diagnostics: Diagnostic[];
}

/** Loads the skills of all places; the first of two with one name wins. Never throws. */
export async function loadSkills(places: readonly SkillPlace[]): Promise<LoadedSkills> {
  const skills = new Map<string, Skill>();
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  for (const place of places) {
    for (const directory of skillDirectories(place, diagnostics)) {
      const real = realPath(directory);
      // A plugin may name a skill that is in its default place, too.
      if (place.plugin !== undefined && seen.has(`${place.plugin}:${real}`)) continue;
      seen.add(`${place.plugin}:${real}`);
      const loaded = await loadSkill(directory, place);
      diagnostics.push(...loaded.diagnostics);
      if (loaded.skill === null) continue;
      const winner = skills.get(loaded.skill.name);
      if (winner === undefined) skills.set(loaded.skill.name, loaded.skill);
      else diagnostics.push(shadowed(loaded.skill, winner));
    }
  }
  return { skills: [...skills.values()], diagnostics };
}

export type FoundSkill =
  | { kind: "skill"; skill: Skill }
  | { kind: "unknown"; message: string }
  /** The author reserves the skill for people. */
  | { kind: "kept-back"; skill: Skill; message: string };

/** Finds the skill to load ahead of a task: by its name, then within the asker's plugin, then in any plugin. */
export function findSkill(skills: readonly Skill[], wanted: string, plugin?: string): FoundSkill {
  const skill =
    skills.find(({ name }) => name === wanted) ??
    skills.find(({ name }) => plugin !== undefined && name === `${plugin}:${wanted}`) ??
    skills.find(({ name }) => wanted !== "" && name.endsWith(`:${wanted}`));
  if (skill === undefined) {
    const meant = closest(
      wanted,
      skills.map(({ name }) => name),
    );
    const hint = meant === undefined ? "Check its directory's name." : `Did you mean '${meant}'?`;
    return { kind: "unknown", message: `There is no skill ${shown(wanted)}. ${hint}` };
  }
  if (skill.disableModelInvocation !== true) return { kind: "skill", skill };
  const message = `The skill ${shown(skill.name)} cannot be preloaded: it says 'disable-model-invocation: true'. Remove that line, or the skill from the list.`;
  return { kind: "kept-back", skill, message };
}

function skillDirectories(place: SkillPlace, diagnostics: Diagnostic[]): string[] {
  const { directory, source } = place;
  if (kindOf(directory) !== "directory") return [];
  if (source === "plugin" && holdsSkill(directory)) return [directory];
  return listEntries(directory, fullBudget(), diagnostics)
    .filter(({ name }) => !name.startsWith("."))
    .map(({ name }) => join(directory, name))
    .filter((path) => kindOf(path) === "directory" && holdsSkill(path));
}

const fileName = "SKILL.md";

/** Whether a directory holds a skill. Checked by listing, because some file systems would also find `skill.md`. */
function holdsSkill(directory: string): boolean {
  try {
    return readdirSync(directory).includes(fileName);
  } catch {
    return false;
  }
}

async function loadSkill(
  directory: string,
  { source, plugin, root }: SkillPlace,
): Promise<{ skill: Skill | null; diagnostics: Diagnostic[] }> {
  const file = join(directory, fileName);
  const failed = (
    code: Diagnostic["code"],
    message: string,
  ): { skill: null; diagnostics: Diagnostic[] } => ({
    skill: null,
    diagnostics: [diagnose(file, { severity: "error", code, message })],
  });
  const own = basename(directory);
  if (/[:\u0000-\u001f\u007f-\u009f]/.test(own))
    return failed(
      "invalid",
      "The directory's name is the skill's and must not contain ':' or control characters. Rename it.",
    );
  if (root !== undefined && !isInside(realPath(root), realPath(file)))
    return failed(
      "invalid",
      "The skill is a link out of its folder or plugin and is left out. Copy what it points to.",
    );
  const read = readSmallFile(file, largestDefinition);
  if (read.kind === "missing")
    return failed("unreadable", "The file is gone, or a link to nothing.");
  if (read.kind === "refused")
    return failed(
      "unreadable",
      `The skill is not read: ${read.reason}. Put a plain, short file there.`,
    );

  const { fields, body, places, diagnostics } = await readText(read.text, file);
  const name = plugin === undefined ? own : `${plugin}:${own}`;
  const ofPlugin = plugin === undefined ? {} : { plugin };
  const made = toSkill(fields, { name, source, ...ofPlugin, body, file, directory }, places);
  return { skill: made.skill, diagnostics: [...diagnostics, ...made.diagnostics] };
}

/** Reads a skill. Invalid frontmatter costs the skill its fields, but it is still loaded. */
async function readText(
  text: string,
  file: string,
): Promise<{
  fields: Record<string, unknown>;
  body: string;
  places: ReadonlyMap<string, FieldPlace>;
  diagnostics: Diagnostic[];
}> {
  const parsed = await parseFrontmatter(text);
  const body = parsed.body.trim();
  if (parsed.kind === "fields")
    return { fields: parsed.fields, places: parsed.places, body, diagnostics: [] };
  const nothing = { fields: {}, places: new Map<string, FieldPlace>(), body };
  // A skill needs no frontmatter, but text that looks like frontmatter should be valid.
  if (parsed.kind === "none") {
    const problem = { severity: "warning", code: "unreadable", message: parsed.reason } as const;
    return { ...nothing, diagnostics: /^\uFEFF?---/.test(text) ? [diagnose(file, problem)] : [] };
  }
  if (/^---[ \t]*\r?\n\s*---/.test(text)) return { ...nothing, diagnostics: [] };
  const { line, message } = parsed;
  const problem = {
    severity: "error",
    code: "unreadable",
    line,
    message: `The frontmatter is not valid YAML: ${message}. Quote the value; until then the skill has no fields.`,
  } as const;
  return { ...nothing, diagnostics: [diagnose(file, problem)] };
}

function shadowed(skill: Skill, winner: Skill): Diagnostic {
  const message = `The skill ${shown(skill.name)} of ${shown(winner.file)} wins over this one. Rename one of them.`;
  return diagnose(skill.file, { severity: "info", code: "shadowed", field: "name", message });
}

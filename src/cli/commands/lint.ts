import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Option, type Command } from "commander";
import { version } from "../../contract/version.ts";
import { Catalog } from "../../definitions/catalog.ts";
import { loadDefinitionFile } from "../../definitions/definition-file.ts";
import type { AgentDefinition } from "../../definitions/definition.ts";
import type { Skill } from "../../definitions/skill.ts";
import { findSkill, loadSkills } from "../../definitions/skills.ts";
import { findDefinitionFiles } from "../../definitions/find-files.ts";
import type { Diagnostic } from "../../contract/diagnostic.ts";
import { errorMessage, RetinueError } from "../../contract/errors.ts";
import { repositoryRoot } from "../../platform/git/git.ts";
import { memoryProblem } from "../../resolve/memory.ts";
import { refusalOf } from "../../resolve/refusal.ts";
import { settingsSchema } from "../../settings/settings.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { exitCodes } from "../exit-codes.ts";
import { readHere, type HereOptions } from "../run/read-here.ts";
import { diagnosticLine } from "../report-diagnostics.ts";
import { sarif } from "../views/sarif.ts";
import { withPlaces } from "../find/with-places.ts";
import { hereOptions } from "../options/shared-options.ts";

interface LintOptions extends HereOptions {
  format: "text" | "json" | "sarif";
}

export function addLint(program: Command): void {
  hereOptions(program.command("lint"))
    .description("check agent files, settings and plugins; exit code 1 if there are errors")
    .argument("[paths...]", "agent files or directories; by default all that apply here")
    .addOption(
      new Option("--format <format>", "what goes to stdout")
        .choices(["text", "json", "sarif"])
        .default("text"),
    )
    .addOption(new Option("--json", "the same as --format json").implies({ format: "json" }))
    .action(lintCommand);
}

/** `retinue lint`: every problem of agent files, settings and plugins, with its place and remedy. */
async function lintCommand(paths: string[], options: LintOptions): Promise<void> {
  const found = paths.length === 0 ? await lintHere(options) : await lintFiles(paths, options);
  const diagnostics = (await withPlaces(found.diagnostics)).toSorted(byPlace);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.filter(({ severity }) => severity === "warning").length;
  if (options.format === "sarif") {
    process.stdout.write(`${JSON.stringify(sarif(diagnostics, version), null, 2)}\n`);
  } else if (options.format === "json") {
    process.stdout.write(
      `${JSON.stringify({ files: found.files, errors, warnings, diagnostics }, null, 2)}\n`,
    );
  } else {
    for (const one of diagnostics) process.stdout.write(`${diagnosticLine(one)} [${one.code}]\n`);
    const counts = [count(found.files, "file"), count(errors, "error"), count(warnings, "warning")];
    process.stderr.write(`retinue: ${counts.join(", ")}.\n`);
  }
  if (errors > 0) process.exitCode = exitCodes.failed;
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

interface Linted {
  files: number;
  diagnostics: Diagnostic[];
}

/** Lints everything that applies here: the files of this project, of the user and of plugins, and the settings. */
async function lintHere(options: LintOptions): Promise<Linted> {
  const { configuration, catalog, diagnostics } = await readHere(options);
  const skills = await loadSkills(configuration.skillPlaces);
  const cwd = process.cwd();
  const here = { cwd, configDir: defaultConfigDir(), repository: repositoryRoot(cwd) };
  const candidates = catalog
    .candidates()
    .filter(({ definition }) => definition.source !== "built-in");
  const files = new Set([
    ...candidates.flatMap(({ definition }) => definition.file ?? []),
    ...diagnostics.map(({ file }) => file),
    ...skills.skills.map(({ file }) => file),
  ]);
  return {
    files: files.size,
    diagnostics: [
      ...diagnostics,
      ...skills.diagnostics,
      ...shadowed(catalog),
      ...candidates.flatMap(({ definition }) => refused(definition)),
      ...candidates.flatMap(({ definition }) => unknownSkills(definition, skills.skills)),
      ...candidates.flatMap(({ definition }) => memoryProblem(definition, here) ?? []),
    ],
  };
}

/** Lints files that the user names, wherever they are. */
async function lintFiles(paths: readonly string[], { lenient }: LintOptions): Promise<Linted> {
  const files = paths.flatMap(filesOf);
  const loaded = await Promise.all(
    files.map((file) => loadDefinitionFile(file, "project", { lenient: lenient === true })),
  );
  const definitions = loaded.flatMap((one) => one.definitions);
  const catalog = new Catalog(definitions, {
    settings: settingsSchema.parse({}),
    entrypoint: "cli",
  });
  return {
    files: files.length,
    diagnostics: [
      ...loaded.flatMap(({ diagnostics }) => diagnostics),
      ...shadowed(catalog),
      ...definitions.flatMap((definition) => refused(definition)),
    ],
  };
}

function filesOf(path: string): string[] {
  const full = resolve(path);
  try {
    if (statSync(full).isDirectory()) return findDefinitionFiles(full, { hidden: true }).files;
    if (full.endsWith(".md")) return [full];
    throw new Error(
      "it is not an agent file; without a path, lint checks settings and plugins too",
    );
  } catch (error) {
    throw new RetinueError(
      "invalid_request",
      `${path} cannot be read (${errorMessage(error)}). Name agent files or directories of them.`,
    );
  }
}

/** Reports a file that another one of the same source hides: that was hardly meant. */
function shadowed(catalog: Catalog): Diagnostic[] {
  const winners = new Map(catalog.list().map((definition) => [definition.name, definition]));
  return catalog.candidates().flatMap(({ definition, passedOver }) => {
    const { name, file, source } = definition;
    if (passedOver === null || file === null || source === "built-in") return [];
    const winner = winners.get(name);
    const severity = winner?.source === source ? "warning" : "info";
    const message = `'${name}' is not used: ${passedOver}.`;
    const code = winner === undefined ? "inert" : "shadowed";
    return [{ severity, code, file, line: 1, column: 1, field: "name", message }];
  });
}

function refused(definition: AgentDefinition): Diagnostic[] {
  const refusal = refusalOf(definition);
  if (refusal === null) return [];
  const file = definition.file ?? definition.name;
  return [{ severity: "error", code: "invalid", file, line: 1, column: 1, ...refusal }];
}

function unknownSkills(definition: AgentDefinition, skills: readonly Skill[]): Diagnostic[] {
  const plugin = definition.source === "plugin" ? definition.name.split(":")[0] : undefined;
  return (definition.skills ?? []).flatMap((wanted): Diagnostic[] => {
    const found = findSkill(skills, wanted, plugin);
    if (found.kind === "skill") return [];
    const file = definition.file ?? definition.name;
    const { message } = found;
    return [
      { severity: "warning", code: "unknown", file, line: 1, column: 1, field: "skills", message },
    ];
  });
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

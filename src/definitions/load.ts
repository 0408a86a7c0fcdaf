import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { packagePath } from "../package-path.ts";
import { directoriesUpToRoot } from "../platform/git.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { toDefinition, type AgentDefinition } from "./definition.ts";
import { parseFrontmatter } from "./frontmatter.ts";
import type { SourceName } from "./sources.ts";

const builtInDirectory = packagePath("agents");
const largestFile = 256 * 1024;

export interface Loaded {
  definitions: AgentDefinition[];
  diagnostics: Diagnostic[];
}

/**
 * Reads every definition file that applies to a working directory, nearest first within a source. Never throws and
 * never drops a file silently. Unchanged files are not parsed again, so it can be asked before every spawn.
 */
export class DefinitionLoader {
  readonly #directories: { path: string; source: SourceName }[];
  readonly #cache = new Map<string, { stamp: string; loaded: Loaded }>();

  /** What ships with the package does not change under a running process. */
  #builtIns: Promise<Loaded[]> | undefined;
  #last: { files: readonly Loaded[]; all: Loaded } | undefined;

  constructor(options: { cwd: string; configDir: string }) {
    const user = join(resolve(options.configDir), "agents");
    const project = directoriesUpToRoot(options.cwd).map((at) => join(at, ".claude", "agents"));
    this.#directories = [
      // In the home directory the user's agents are not also the project's.
      ...project
        .filter((path) => path !== user)
        .map((path) => ({ path, source: "project" as const })),
      { path: user, source: "user" },
      { path: builtInDirectory, source: "built-in" },
    ];
  }

  /** The same object for as long as nothing has changed. */
  async load(): Promise<Loaded> {
    const loaded = await Promise.all(
      this.#directories.map(({ path, source }) =>
        source === "built-in"
          ? (this.#builtIns ??= this.#loadDirectory(path, source))
          : this.#loadDirectory(path, source),
      ),
    );
    const files = loaded.flat();
    if (this.#last !== undefined && sameItems(this.#last.files, files)) return this.#last.all;
    const all = {
      definitions: files.flatMap(({ definitions }) => definitions),
      diagnostics: files.flatMap(({ diagnostics }) => diagnostics),
    };
    this.#last = { files, all };
    return all;
  }

  async #loadDirectory(path: string, source: SourceName): Promise<Loaded[]> {
    const files = await markdownFiles(path);
    return Promise.all(files.map((file) => this.#loadFile(file, source)));
  }

  async #loadFile(file: string, source: SourceName): Promise<Loaded> {
    const info = await stat(file).catch(() => null);
    if (info === null || !info.isFile()) return nothing;
    const stamp = `${info.mtimeMs}:${info.size}:${info.ino}`;
    const cached = this.#cache.get(file);
    if (cached?.stamp === stamp) return cached.loaded;
    const loaded =
      info.size > largestFile
        ? problem(
            file,
            1,
            `The file is larger than ${largestFile / 1024} KiB and is not read. Shorten it.`,
          )
        : await loadDefinitionFile(file, source);
    this.#cache.set(file, { stamp, loaded });
    return loaded;
  }
}

export function sameItems(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((item, at) => item === others[at]);
}

const nothing: Loaded = { definitions: [], diagnostics: [] };

/** One file → at most one definition. Also used for prompts that are kept in the same format. */
export async function loadDefinitionFile(file: string, source: SourceName): Promise<Loaded> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    return problem(file, 1, `The file cannot be read: ${String(error)}. Check its permissions.`);
  }
  const parsed = await parseFrontmatter(text);
  if (parsed.kind === "none") return problem(file, 1, parsed.reason, "warning");
  if (parsed.kind === "broken") {
    return problem(
      file,
      parsed.line,
      `The frontmatter is not valid YAML: ${parsed.message}. Quote the value.`,
    );
  }
  const { definition, diagnostics } = toDefinition(parsed.fields, {
    prompt: parsed.body.trim(),
    source,
    file,
    where: file,
    lines: parsed.lines,
  });
  return { definitions: definition === null ? [] : [definition], diagnostics };
}

function problem(
  file: string,
  line: number,
  message: string,
  severity: Diagnostic["severity"] = "error",
): Loaded {
  return {
    definitions: [],
    diagnostics: [{ severity, code: "unreadable", file, line, column: 1, field: null, message }],
  };
}

async function markdownFiles(directory: string): Promise<string[]> {
  if (!existsSync(directory)) return [];
  const entries = await readdir(directory, { recursive: true }).catch(() => []);
  return entries
    .filter((entry) => entry.endsWith(".md"))
    .map((entry) => join(directory, entry))
    .toSorted();
}

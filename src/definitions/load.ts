import { existsSync, statSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { isInside } from "../platform/files/is-inside.ts";
import { sameItems } from "../platform/same-items.ts";
import { loadDefinitionFile, unloaded, type Loaded } from "./definition-file.ts";
import { DirectoryChanges } from "./directory-changes.ts";
import { findDefinitionFiles } from "./find-files.ts";
import { leadsNowhere, leadsOut, linkedOut, lookAtFile, type FileLook } from "./look-at-file.ts";
import type { DefinitionPlace } from "./places.ts";
import { loadPluginAgentFile } from "./plugin-agents.ts";
import { restrain, type Restraints } from "./restrain.ts";

/**
 * Reads every definition file of some places, in their order. Never throws and never drops a file silently. Can be
 * called before every spawn: unchanged files are not read again. A few files are checked each time; the directories of
 * more files are watched.
 */
export class DefinitionLoader implements Disposable {
  readonly #places: readonly DefinitionPlace[];
  readonly #lenient: boolean;
  readonly #restraints: Restraints;
  readonly #listings = new Map<DefinitionPlace, Listing>();
  readonly #files = new Map<string, CachedFile>();
  #changes: DirectoryChanges | undefined;
  /** Whether files were not watched when they were last read. */
  #isUnsure = false;
  #isClosed = false;
  /** Files that are links. */
  readonly #links = new Set<string>();
  #last: Gathered | undefined;

  constructor(options: {
    places: readonly DefinitionPlace[];
    lenient: boolean;
    restraints: Restraints;
  }) {
    this.#places = options.places;
    this.#lenient = options.lenient;
    this.#restraints = options.restraints;
  }

  /** Returns the same object as long as nothing has changed. */
  async load(): Promise<Loaded> {
    const changed = await this.#changed();
    const patched = changed === null ? null : await this.#patch(changed);
    if (patched !== null) return patched;
    const { listings, unseen } = this.#survey(changed);
    const parts: Loaded[] = [];
    const origins: DefinitionOrigin[] = [];
    /** Files already loaded: a plugin may name a file that is in its directory too. */
    const seen = new Set<string>();
    for (const [place, { files, problem }] of listings) {
      if (problem !== null) parts.push(this.#complain(place, problem));
      for (const file of files) {
        if (seen.has(file)) continue;
        seen.add(file);
        const isSure = changed !== null && !changed.has(file) && !unseen.has(dirname(file));
        origins.push({ file, place, index: parts.length });
        parts.push(this.#known(file, place, isSure) ?? (await this.#look(file, place)));
      }
    }
    if (this.#last === undefined || !sameItems(this.#last.parts, parts)) {
      const all = {
        definitions: parts.flatMap(({ definitions }) => definitions),
        diagnostics: parts.flatMap(({ diagnostics }) => diagnostics),
      };
      const byFile = new Map(origins.map((origin) => [origin.file, origin]));
      this.#last = { parts, all, byFile };
    }
    return this.#last.all;
  }

  /** Reloads only the changed files, if no file was added or removed. `null`: all must be checked. */
  async #patch(changed: ReadonlySet<string>): Promise<Loaded | null> {
    const last = this.#last;
    if (last === undefined) return null;
    // Targets of links are not watched.
    const paths = [...changed, ...this.#links];
    const origins = paths.flatMap((path) => last.byFile.get(path) ?? []);
    if (origins.length < paths.length || paths.some((path) => !existsSync(path))) return null;
    for (const { file, place, index } of origins) {
      const before = this.#last?.parts[index] ?? nothing;
      const after = await this.#look(file, place);
      if (after !== before) this.#last = replaced(this.#last ?? last, index, after);
    }
    return this.#last?.all ?? null;
  }

  /**
   * Calls the listener a moment after the last change, when the changes are loaded. Returns a function that stops it.
   */
  onChange(listener: () => void): () => void {
    this.#changes ??= new DirectoryChanges();
    this.#survey(null);
    // Changes since the last time were not watched.
    this.#isUnsure = true;
    return this.#changes.onChange(() => {
      const tell = (): void => {
        if (!this.#isClosed) listener();
      };
      this.load().then(tell, tell);
    });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#changes?.[Symbol.dispose]();
    this.#changes = undefined;
  }

  /** Paths that have changed; `null`: unknown. */
  async #changed(): Promise<ReadonlySet<string> | null> {
    if (this.#changes === undefined || this.#changes.blind) return null;
    const changed = await this.#changes.take();
    if (!this.#isUnsure) return changed;
    this.#isUnsure = false;
    return null;
  }

  /**
   * Lists the files. Watched files are watched before they are read, so that no change is missed; changes from before
   * that are listed again. `unseen`: directories whose files may have changed unnoticed.
   */
  #survey(changed: ReadonlySet<string> | null): {
    listings: Map<DefinitionPlace, Listing>;
    unseen: ReadonlySet<string>;
  } {
    const list = (since: ReadonlySet<string> | null): Map<DefinitionPlace, Listing> =>
      new Map(this.#places.map((place) => [place, this.#list(place, since)]));
    const unseen = new Set<string>();
    let listings = list(changed);
    for (let round = 1; round <= mostRounds; round += 1) {
      const count = listings.values().reduce((sum, { files }) => sum + files.length, 0);
      if (count > fewFiles && !this.#isClosed) this.#changes ??= new DirectoryChanges();
      const opened = this.#changes?.watch(watched(listings)) ?? [];
      if (opened.length === 0 || this.#changes?.blind === true) break;
      for (const directory of opened) unseen.add(directory);
      listings = list(null);
    }
    return { listings, unseen };
  }

  #list(place: DefinitionPlace, changed: ReadonlySet<string> | null): Listing {
    const known = this.#listings.get(place);
    // Files that ship with the package do not change under a running process.
    const settled =
      place.source === "built-in" || (changed !== null && !this.#moved(place, changed));
    if (known !== undefined && settled) return known;
    const listing = place.path.endsWith(".md")
      ? { files: [place.path], directories: [], problem: null }
      : leadsOut(place)
        ? { files: [], directories: [], problem: linkedOut(place) }
        : findDefinitionFiles(place.path);
    this.#listings.set(place, listing);
    return listing;
  }

  /** Whether files of a place may have been added or removed. A known file that still exists has only changed. */
  #moved(place: DefinitionPlace, changed: ReadonlySet<string>): boolean {
    return [...changed].some((path) => {
      if (isInside(path, place.path)) return true;
      if (!isInside(place.path, path)) return false;
      return !this.#files.has(path) || statSync(path, { throwIfNoEntry: false }) === undefined;
    });
  }

  /** The cached result of a file that cannot have changed. */
  #known(file: string, place: DefinitionPlace, isSure: boolean): Loaded | undefined {
    const known = isSure || place.source === "built-in" ? this.#files.get(file) : undefined;
    // A link is checked each time: its target is not watched.
    return known === undefined || known.isLink ? undefined : known.loaded;
  }

  async #look(file: string, place: DefinitionPlace): Promise<Loaded> {
    const known = this.#files.get(file);
    const state = lookAtFile(file, place);
    if (state === null) {
      this.#files.delete(file);
      this.#links.delete(file);
      return nothing;
    }
    const { stamp, isLink, refusal } = state;
    if (known?.stamp === stamp) return known.loaded;
    const fresh = refusal === null ? await this.#read(file, place) : unloaded(file, refusal);
    // A missing target of a link was removed, not broken.
    const before = stamp === leadsNowhere ? undefined : known?.loaded;
    const loaded = keepGood(fresh, before, file);
    this.#files.set(file, { stamp, loaded, isLink });
    if (isLink) this.#links.add(file);
    else this.#links.delete(file);
    return loaded;
  }

  async #read(file: string, place: DefinitionPlace): Promise<Loaded> {
    const { plugin, source, trusted } = place;
    const read =
      plugin === undefined
        ? await loadDefinitionFile(file, source, { lenient: this.#lenient })
        : await loadPluginAgentFile(file, { plugin, folders: foldersBetween(place.path, file) });
    const held = read.definitions.map((definition) =>
      restrain(definition, { trusted, restraints: this.#restraints, places: read.places }),
    );
    const inert = held.flatMap(({ diagnostics }) => diagnostics);
    // Then it does not matter that this version would not act on it either.
    const rest = read.diagnostics.filter(
      ({ code, field }) => code !== "unsupported" || !inert.some((one) => one.field === field),
    );
    return {
      definitions: held.map(({ definition }) => definition),
      diagnostics: [...rest, ...inert],
    };
  }

  #complain(place: DefinitionPlace, message: string): Loaded {
    const before = this.#complaints.get(message);
    const complaint = before ?? unloaded(place.path, message, { severity: "warning" });
    this.#complaints.set(message, complaint);
    return complaint;
  }

  readonly #complaints = new Map<string, Loaded>();
}

type Listing = ReturnType<typeof findDefinitionFiles>;

/** The origin of a part of the result. */
interface DefinitionOrigin {
  file: string;
  place: DefinitionPlace;
  index: number;
}

interface Gathered {
  parts: readonly Loaded[];
  all: Loaded;
  byFile: ReadonlyMap<string, DefinitionOrigin>;
}

/** Replaces one definition, as after an edit, without a pass over thousands of others. */
function replaced(gathered: Gathered, index: number, after: Loaded): Gathered {
  const { parts, all, byFile } = gathered;
  const before = parts[index] ?? nothing;
  const [old] = before.definitions;
  const [fresh] = after.definitions;
  const isSwap = old !== undefined && fresh !== undefined;
  const isQuiet = before.diagnostics.length === 0 && after.diagnostics.length === 0;
  const now = parts.with(index, after);
  const definitions = isSwap
    ? all.definitions.with(all.definitions.indexOf(old), fresh)
    : now.flatMap((part) => part.definitions);
  const diagnostics = isQuiet ? all.diagnostics : now.flatMap((part) => part.diagnostics);
  return { parts: now, all: { definitions, diagnostics }, byFile };
}

type CachedFile = Omit<FileLook, "refusal"> & { loaded: Loaded };

/** The number of files that can be checked one by one in less than a millisecond. */
const fewFiles = 100;
/** The most rounds of listing. Directories that are created during all of them are seen the next time. */
const mostRounds = 3;
const nothing: Loaded = { definitions: [], diagnostics: [] };

/** Directories to watch; a place that does not exist yet is listed itself. */
function watched(listings: ReadonlyMap<DefinitionPlace, Listing>): string[] {
  return [...listings].flatMap(([{ source, path }, { directories, files }]) => {
    if (source === "built-in") return [];
    if (directories.length > 0) return directories;
    return [files.length > 0 ? dirname(path) : path];
  });
}

/** Keeps the last valid definition: an edit that breaks a file must not take the agent away from its users. */
function keepGood(fresh: Loaded, before: Loaded | undefined, file: string): Loaded {
  if (fresh.definitions.length > 0 || before === undefined || before.definitions.length === 0)
    return fresh;
  const kept: Diagnostic = {
    severity: "warning",
    code: "unreadable",
    file,
    line: 1,
    column: 1,
    field: null,
    message: "The version from before the last edit is still in use. Correct the file.",
  };
  return { definitions: before.definitions, diagnostics: [...fresh.diagnostics, kept] };
}

function foldersBetween(directory: string, file: string): string[] {
  if (directory === file) return [];
  return relative(directory, dirname(file))
    .split(sep)
    .filter((folder) => folder !== "");
}

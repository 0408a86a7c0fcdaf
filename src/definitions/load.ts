import { lstatSync, realpathSync, statSync, type Stats } from "node:fs";
import { dirname, relative, sep } from "node:path";
import type { Diagnostic } from "../diagnostic.ts";
import { errorMessage, systemCode } from "../errors.ts";
import { largestDefinition, loadDefinitionFile, unloaded, type Loaded } from "./definition-file.ts";
import { DirectoryChanges } from "./directory-changes.ts";
import { findDefinitionFiles } from "./find-files.ts";
import { realPath } from "../platform/real-path.ts";
import type { Place } from "./places.ts";
import { loadPluginAgentFile } from "./plugin-agents.ts";
import { restrain, type Restraints } from "./restrain.ts";

/**
 * Reads every definition file of some places, in their order. Never throws and never drops a file silently. Can be asked
 * before every spawn: what has not changed is not read again. A handful of files is looked at each time; where there are
 * more, their directories are watched.
 */
export class DefinitionLoader implements Disposable {
  readonly #places: readonly Place[];
  readonly #lenient: boolean;
  readonly #restraints: Restraints;
  readonly #listings = new Map<Place, Listing>();
  readonly #files = new Map<string, Entry>();
  #changes: DirectoryChanges | undefined;
  /** Nobody watched when files were last looked at. */
  #isUnsure = false;
  #isClosed = false;
  #last: { parts: readonly Loaded[]; all: Loaded } | undefined;

  constructor(options: { places: readonly Place[]; lenient: boolean; restraints: Restraints }) {
    this.#places = options.places;
    this.#lenient = options.lenient;
    this.#restraints = options.restraints;
  }

  /** The same object for as long as nothing has changed. */
  async load(): Promise<Loaded> {
    const changed = await this.#changed();
    if (changed?.size === 0 && this.#last !== undefined && !this.#hasLinks()) return this.#last.all;
    const { listings, unseen } = this.#survey(changed);
    const parts: Loaded[] = [];
    /** A plugin may name a file that lies in its directory too. */
    const seen = new Set<string>();
    for (const [place, { files, problem }] of listings) {
      if (problem !== null) parts.push(this.#complain(place, problem));
      for (const file of files) {
        if (seen.has(file)) continue;
        seen.add(file);
        const isSure = changed !== null && !changed.has(file) && !unseen.has(dirname(file));
        parts.push(this.#known(file, place, isSure) ?? (await this.#look(file, place)));
      }
    }
    if (this.#last === undefined || !sameItems(this.#last.parts, parts)) {
      const all = {
        definitions: parts.flatMap(({ definitions }) => definitions),
        diagnostics: parts.flatMap(({ diagnostics }) => diagnostics),
      };
      this.#last = { parts, all };
    }
    return this.#last.all;
  }

  /** Hears of changes, a moment after the last one, when they are loaded. Returns how to stop. */
  onChange(listener: () => void): () => void {
    this.#changes ??= new DirectoryChanges();
    this.#survey(null);
    // What has changed since the last time was not watched.
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

  /** Which paths have changed; `null`: nobody knows. */
  async #changed(): Promise<ReadonlySet<string> | null> {
    if (this.#changes === undefined || this.#changes.blind) return null;
    const changed = await this.#changes.take();
    if (!this.#isUnsure) return changed;
    this.#isUnsure = false;
    return null;
  }

  /**
   * Which files there are. Where they are watched, they are from before they are read, so that no change falls between;
   * what came before that is listed again. `unseen`: directories whose files may have changed unseen.
   */
  #survey(changed: ReadonlySet<string> | null): {
    listings: Map<Place, Listing>;
    unseen: ReadonlySet<string>;
  } {
    const list = (since: ReadonlySet<string> | null): Map<Place, Listing> =>
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

  #list(place: Place, changed: ReadonlySet<string> | null): Listing {
    const known = this.#listings.get(place);
    // What ships with the package does not change under a running process.
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

  /** Whether files of a place may have come or gone. A file that is known and still there has only changed. */
  #moved(place: Place, changed: ReadonlySet<string>): boolean {
    return [...changed].some((path) => {
      if (isBelow(place.path, path)) return true;
      if (!isBelow(path, place.path)) return false;
      return !this.#files.has(path) || statSync(path, { throwIfNoEntry: false }) === undefined;
    });
  }

  /** What is known of a file that cannot have changed. */
  #known(file: string, place: Place, isSure: boolean): Loaded | undefined {
    const known = isSure || place.source === "built-in" ? this.#files.get(file) : undefined;
    // A link is looked at each time: what it leads to is not watched.
    return known === undefined || known.isLink ? undefined : known.loaded;
  }

  async #look(file: string, place: Place): Promise<Loaded> {
    const known = this.#files.get(file);
    const state = stateOf(file, place);
    if (state === null) return (this.#files.delete(file), nothing);
    const { stamp, isLink, refusal } = state;
    if (known?.stamp === stamp) return known.loaded;
    const fresh = refusal === null ? await this.#read(file, place) : unloaded(file, refusal);
    // What a link led to and is gone was removed, not broken.
    const before = stamp === leadsNowhere ? undefined : known?.loaded;
    const loaded = keepGood(fresh, before, file);
    this.#files.set(file, { stamp, loaded, isLink });
    return loaded;
  }

  async #read(file: string, place: Place): Promise<Loaded> {
    const { plugin, source, trusted } = place;
    const read =
      plugin === undefined
        ? await loadDefinitionFile(file, source, { lenient: this.#lenient })
        : await loadPluginAgentFile(file, { plugin, folders: foldersBetween(place.path, file) });
    const held = read.definitions.map((definition) =>
      restrain(definition, { trusted, restraints: this.#restraints, places: read.places }),
    );
    const inert = held.flatMap(({ diagnostics }) => diagnostics);
    // That this version would not act on it either is no news then.
    const rest = read.diagnostics.filter(
      ({ code, field }) => code !== "unsupported" || !inert.some((one) => one.field === field),
    );
    return {
      definitions: held.map(({ definition }) => definition),
      diagnostics: [...rest, ...inert],
    };
  }

  /** What links lead to is not watched. */
  #hasLinks(): boolean {
    return this.#files.values().some(({ isLink }) => isLink);
  }

  #complain(place: Place, message: string): Loaded {
    const before = this.#complaints.get(message);
    const complaint = before ?? unloaded(place.path, message, { severity: "warning" });
    this.#complaints.set(message, complaint);
    return complaint;
  }

  readonly #complaints = new Map<string, Loaded>();
}

type Listing = ReturnType<typeof findDefinitionFiles>;

interface Entry {
  stamp: string;
  loaded: Loaded;
  isLink: boolean;
}

/** So many are looked at one by one in less than a millisecond. */
const fewFiles = 100;
/** Directories that are made while we look, and again while we look again, are seen the next time. */
const mostRounds = 3;
const leadsNowhere = "leads nowhere";
const nothing: Loaded = { definitions: [], diagnostics: [] };

/** A folder that nobody trusts must not have us walk through the disk. */
function leadsOut({ path, within }: Place): boolean {
  return within !== null && !isBelow(realPath(path), realPath(within));
}

function linkedOut({ within }: Place): string {
  return `It leads out of ${within} through a link and is not read. Copy the files, or run 'retinue trust'.`;
}

/** The directories to watch; of a place that is not there yet, the place itself. */
function watched(listings: ReadonlyMap<Place, Listing>): string[] {
  return [...listings].flatMap(([{ source, path }, { directories, files }]) => {
    if (source === "built-in") return [];
    if (directories.length > 0) return directories;
    return [files.length > 0 ? dirname(path) : path];
  });
}

/** What can be said of a file without opening it; `null`: it is gone. */
function stateOf(
  file: string,
  place: Place,
): (Omit<Entry, "loaded"> & { refusal: string | null }) | null {
  try {
    const link = lstatSync(file, { throwIfNoEntry: false });
    const info = link?.isSymbolicLink() === true ? statSync(file, { throwIfNoEntry: false }) : link;
    if (link === undefined) return null;
    if (info === undefined)
      return {
        stamp: leadsNowhere,
        isLink: true,
        refusal: "It is a link that leads nowhere. Correct or remove it.",
      };
    return {
      stamp: `${info.mtimeMs}:${info.ctimeMs}:${info.size}:${info.ino}`,
      isLink: link !== info,
      refusal: whyNotOpened(file, place, info),
    };
  } catch (error) {
    const remedy =
      systemCode(error) === "ELOOP"
        ? "The link leads to itself; remove it."
        : "Check its permissions.";
    const refusal = `The file cannot be read: ${errorMessage(error)}. ${remedy}`;
    return { stamp: refusal, isLink: true, refusal };
  }
}

function whyNotOpened(file: string, { within, source }: Place, info: Stats): string | null {
  if (!info.isFile()) return "It is not a regular file and is not read. Remove it.";
  if (info.size > largestDefinition)
    return `The file is larger than ${largestDefinition / 1024} KiB and is not read. Shorten it.`;
  if (within !== null && !isBelow(realpathSync.native(file), realpathSync.native(within)))
    return `It leads out of ${within} through a link and is not followed. Copy the file${source === "project" ? ", or run 'retinue trust'" : ""}.`;
  return null;
}

/** An edit that breaks a file must not take the agent away from under people who use it. */
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

function isBelow(path: string, directory: string): boolean {
  return (
    path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
  );
}

function foldersBetween(directory: string, file: string): string[] {
  if (directory === file) return [];
  return relative(directory, dirname(file))
    .split(sep)
    .filter((folder) => folder !== "");
}

export function sameItems(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((item, at) => item === others[at]);
}

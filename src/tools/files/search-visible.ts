import { join, relative, resolve } from "node:path";
import { descriptorLinks } from "../../platform/files/open-decided.ts";
import { ripgrep } from "./ripgrep.ts";
import { searchOpened, type FoundFile } from "./search-opened.ts";

const filesAtOnce = 200;

export interface VisibleSearch {
  options: readonly string[];
  /** The option that lists matching files in the order of the answer: `--sort=path`. */
  order: string;
  target: {
    kind: "file" | "directory";
    /** The path that ripgrep is given, so that its output begins with it. */
    shown: string;
    /** The path without links, as it was decided on. */
    real: string;
  };
  /** Whether lines of files are printed, not only their names. */
  printsContent: boolean;
  cwd: string;
  signal: AbortSignal;
  hides: ((path: string) => boolean) | undefined;
}

/**
 * Yields the output of ripgrep for files that may be seen. Ripgrep walks by name, so a directory that is swapped for a
 * link at the right moment leads it astray. Therefore its output about content counts only for files that were opened
 * and checked here: a first pass lists the files that match, a second one searches their descriptors. Hidden files are
 * dropped in between: what ripgrep never reads it cannot reveal, not even by a separator.
 *
 * A gap remains: at such a moment the names of files elsewhere, and that they match, can get into a list of names.
 */
export async function* searchVisible(search: VisibleSearch): AsyncGenerator<string> {
  const { options, order, target, cwd, signal, hides } = search;
  const isByDescriptor = descriptorLinks() !== undefined;
  const about = (files: readonly FoundFile[]): AsyncGenerator<string> =>
    isByDescriptor
      ? searchOpened({ options, files, cwd, signal })
      : ripgrep({ options, targets: files.map((file) => file.shown), cwd, signal });

  if (target.kind === "file" && hides === undefined) return yield* about([target]);
  if (hides === undefined && !(search.printsContent && isByDescriptor)) {
    return yield* ripgrep({ options, targets: [target.shown], cwd, signal });
  }
  const listing = [...options.filter(isAboutMatching), order, "--files-with-matches", "--null"];
  const found = ripgrep({ options: listing, targets: [target.shown], cwd, signal, end: "\0" });
  let visible: FoundFile[] = [];
  for await (const shown of found) {
    const path = resolve(cwd, shown);
    if (hides?.(path) === true) continue;
    visible.push({ shown, real: join(target.real, relative(resolve(cwd, target.shown), path)) });
    if (visible.length < filesAtOnce) continue;
    yield* about(visible);
    visible = [];
  }
  if (visible.length > 0) yield* about(visible);
}

/** Whether an option decides which files match, not how matches are shown. */
function isAboutMatching(option: string): boolean {
  return /^--(?:regexp|glob|type|ignore-case|multiline|multiline-dotall)(?:=|$)/.test(option);
}

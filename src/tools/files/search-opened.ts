import { closeSync, constants, fstatSync } from "node:fs";
import { openDecided } from "../../platform/files/open-decided.ts";
import { ripgrep } from "./ripgrep.ts";

export interface FoundFile {
  /** The path as the answer names it. */
  shown: string;
  /** The path without links, as it was decided on. */
  real: string;
}

/**
 * Yields the output of ripgrep for these files. It is handed descriptors that were opened and checked here, and never a
 * name: so it cannot read anything else, whatever is swapped while it runs. Files that lead elsewhere now are skipped.
 * Linux only: elsewhere a descriptor cannot be named for another process.
 */
export async function* searchOpened(search: {
  options: readonly string[];
  files: readonly FoundFile[];
  cwd: string;
  signal: AbortSignal;
}): AsyncGenerator<string> {
  const { options, files, cwd, signal } = search;
  const descriptors: number[] = [];
  const names: string[] = [];
  try {
    for (const { shown, real } of files) {
      const descriptor = openRegular(real);
      if (descriptor === undefined) continue;
      descriptors.push(descriptor);
      names.push(shown);
    }
    if (names.length === 0) return;
    const targets = names.map((_, index) => `/proc/self/fd/${index + firstInherited}`);
    const printed = ripgrep({
      // The files are chosen already, and ripgrep does not see the names that these options match.
      options: options.filter((option) => !/^--(?:glob|type)=/.test(option)),
      targets,
      descriptors,
      cwd,
      signal,
    });
    for await (const line of printed) yield withName(line, names);
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

/** The first descriptor after standard input, output and error. */
const firstInherited = 3;

function withName(line: string, names: readonly string[]): string {
  return line.replace(
    /^\/proc\/self\/fd\/(\d+)/,
    (written, digits: string) => names[Number(digits) - firstInherited] ?? written,
  );
}

function openRegular(real: string): number | undefined {
  let descriptor: number;
  try {
    descriptor = openDecided(real, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  return undefined;
}

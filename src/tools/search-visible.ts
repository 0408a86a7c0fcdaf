import { resolve } from "node:path";
import { ripgrep } from "./ripgrep.ts";

const filesAtOnce = 200;

/**
 * What ripgrep prints about files that may be seen. Where some may not, it is first asked which files match at all, and
 * then only about those of them that are left: what it never reads it cannot tell, not even by a separator.
 */
export async function* searchVisible(search: {
  options: readonly string[];
  /** How matching files are listed, in the order of the answer: `--sort=path`. */
  order: string;
  target: string;
  cwd: string;
  signal: AbortSignal;
  hides: ((path: string) => boolean) | undefined;
}): AsyncGenerator<string> {
  const { options, order, target, cwd, signal, hides } = search;
  if (hides === undefined) return yield* ripgrep({ options, targets: [target], cwd, signal });
  const listing = [...options.filter(isAboutMatching), order, "--files-with-matches", "--null"];
  let visible: string[] = [];
  const printed = (): AsyncGenerator<string> => {
    const targets = visible;
    visible = [];
    return ripgrep({ options, targets, cwd, signal });
  };
  for await (const file of ripgrep({
    options: listing,
    targets: [target],
    cwd,
    signal,
    end: "\0",
  })) {
    if (!hides(resolve(cwd, file))) visible.push(file);
    if (visible.length >= filesAtOnce) yield* printed();
  }
  if (visible.length > 0) yield* printed();
}

/** Which files match, not how that is shown. */
function isAboutMatching(option: string): boolean {
  return /^--(?:regexp|glob|type|ignore-case|multiline|multiline-dotall)(?:=|$)/.test(option);
}

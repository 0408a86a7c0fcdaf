import { resolve } from "node:path";

/**
 * What ripgrep prints, without the lines about files that must not be seen. `form`: how a line tells its file. With
 * `--null` a path ends in a NUL, because any other character may be part of it; it is put right again here.
 */
export async function* visibleLines(
  lines: AsyncGenerator<string>,
  options: {
    cwd: string;
    hides: ((path: string) => boolean) | undefined;
    form: "path" | "path-nul-rest";
  },
): AsyncGenerator<string> {
  const { cwd, hides, form } = options;
  if (hides === undefined) return yield* lines;
  const known = new Map<string, boolean>();
  const isHidden = (path: string): boolean => {
    const hidden = known.get(path) ?? hides(resolve(cwd, path));
    known.set(path, hidden);
    return hidden;
  };
  for await (const line of lines) {
    const end = form === "path" ? line.length : line.indexOf("\0");
    // Between two groups of lines. Anything else without a path is about nobody knows what.
    if (end === -1 && line !== "--") continue;
    if (end === -1) yield line;
    else if (!isHidden(line.slice(0, end))) yield form === "path" ? line : withSeparator(line, end);
  }
}

/** As ripgrep writes it without `--null`: `-` before a line of context, `:` before all others. */
function withSeparator(line: string, at: number): string {
  const rest = line.slice(at + 1);
  return `${line.slice(0, at)}${/^\d+-/.test(rest) ? "-" : ":"}${rest}`;
}

import { join, relative, resolve } from "node:path";
import { z } from "zod";
import { systemCode } from "../../contract/errors.ts";
import { holdDirectory, type HeldDirectory } from "../../platform/files/hold-directory.ts";
import { kindOf } from "../../platform/files/kind-of.ts";
import { asToolFailure } from "./file-state.ts";
import { ripgrep } from "./ripgrep.ts";
import { joined, text } from "../line.ts";
import { leafTool, ToolFailure, type LeafTool } from "../tool.ts";

const shownCap = 100;
const matchCap = 500_000;

export const globTool: LeafTool = leafTool({
  name: "Glob",
  description: `Find files by name, newest first, at most ${shownCap}: "**/*.ts", "src/*.{js,jsx}". Skips what .gitignore names.`,
  effect: "read",
  background: true,
  audience: "all",
  mainField: "pattern",
  line: ({ pattern, path }) => joined(" ", text(pattern), text(path)),
  concurrency: "shared",
  repeatable: true,
  input: z.object({
    pattern: z.string().min(1),
    path: z.string().optional().describe("Directory; default: current"),
  }),
  paths: (input, cwd) => [startOf(input, cwd).directory],
  async execute(input, context) {
    const { cwd, hides } = context.workbench;
    const { signal } = context;
    const began = performance.now();
    // An absolute pattern replaces `path`, which was not part of the decision.
    if (!input.pattern.startsWith("/")) mustBeDirectory(resolve(cwd, input.path ?? "."));
    const { directory, pattern } = startOf(input, cwd);
    using held = holdStart(directory, context.realPath(directory));
    const found =
      held === undefined
        ? { newest: [], total: 0 }
        : await search(held, pattern, { directory, hides, signal });
    const filenames = found.newest.map((name) => shownPath(join(directory, name), cwd));
    return {
      content: report(filenames, found.total),
      data: {
        durationMs: Math.round(performance.now() - began),
        numFiles: filenames.length,
        filenames,
        truncated: found.total > filenames.length,
        totalMatches: found.total,
        countIsComplete: true,
      },
    };
  },
});

/** The directory that the pattern begins with is where the search starts: absolute patterns need nothing else. */
function startOf(
  input: { pattern: string; path?: string | undefined },
  cwd: string,
): { directory: string; pattern: string } {
  const segments = input.pattern.split("/");
  const dynamic = segments.findIndex((segment) => /[*?[\]{}\\]/.test(segment));
  const split = dynamic === -1 ? segments.length - 1 : dynamic;
  const fixed = segments.slice(0, split).join("/");
  const rest = segments.slice(split).join("/");
  const absolute = input.pattern.startsWith("/");
  return {
    directory: resolve(cwd, input.path ?? ".", absolute ? `/${fixed}` : fixed),
    // A leading slash anchors; a name alone is found at any depth. It also takes the meaning from "!" and "#".
    pattern: segments.length > 1 ? `/${rest}` : rest.replace(/^[!#]/, String.raw`\$&`),
  };
}

function mustBeDirectory(path: string): void {
  if (kindOf(path) !== "directory") {
    throw new ToolFailure(
      `${path} is not a directory. Leave out path, or find the right one with Glob "**/*".`,
    );
  }
}

/** Nothing when the pattern begins with a directory that is not there. */
function holdStart(directory: string, real: string): HeldDirectory | undefined {
  try {
    return holdDirectory(real);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw asToolFailure(error, `Cannot search ${directory}`);
  }
}

/**
 * Two questions, because a glob switches ripgrep's ignoring off for all that it matches: which files match, and which
 * of all files that are not ignored are among them. ripgrep starts in the held directory, and from there walks by name: a
 * directory below that is swapped for a link at the right moment can show it names elsewhere.
 */
async function search(
  held: HeldDirectory,
  pattern: string,
  {
    directory,
    hides,
    signal,
  }: {
    directory: string;
    hides: ((path: string) => boolean) | undefined;
    signal: AbortSignal;
  },
): Promise<{ newest: string[]; total: number }> {
  const newest: string[] = [];
  let total = 0;
  const matches = new Set<string>();
  const place = { targets: ["."], cwd: held.at("."), signal, end: "\0" } as const;
  for await (const file of ripgrep({
    ...place,
    options: ["--files", "--null", `--glob=${pattern}`],
  })) {
    if (hides?.(join(directory, file)) === true) continue;
    matches.add(file);
    if (matches.size > matchCap)
      throw new ToolFailure("The pattern matches too many files. Use a narrower one.");
  }
  if (matches.size === 0) return { newest, total };
  for await (const file of ripgrep({
    ...place,
    options: ["--files", "--null", "--sortr=modified"],
  })) {
    if (!matches.has(file)) continue;
    total += 1;
    if (newest.length < shownCap) newest.push(file);
  }
  return { newest, total };
}

function shownPath(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside.startsWith("../") ? path : inside;
}

function report(filenames: readonly string[], total: number): string {
  if (filenames.length === 0) return "No files found";
  if (total === filenames.length) return filenames.join("\n");
  return `${filenames.join("\n")}\n[The newest ${filenames.length} of ${total} files; a narrower pattern shows the others.]`;
}

import { stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { z } from "zod";
import { ripgrep } from "./ripgrep.ts";
import { leafTool, ToolFailure, type LeafTool } from "./tool.ts";

const shownCap = 100;
const matchCap = 500_000;

export const globTool: LeafTool = leafTool({
  name: "Glob",
  description: `Find files by name, newest first, at most ${shownCap}: "**/*.ts", "src/*.{js,jsx}". Skips what .gitignore names.`,
  concurrency: "shared",
  repeatable: true,
  input: z.object({
    pattern: z.string().min(1),
    path: z.string().optional().describe("Directory; default: current"),
  }),
  paths: (input, cwd) => [startOf(input, cwd).directory],
  async execute(input, { workbench: { cwd, hides }, signal }) {
    const began = performance.now();
    await mustBeDirectory(resolve(cwd, input.path ?? "."));
    const { directory, pattern } = startOf(input, cwd);
    const found = await search(directory, pattern, { hides, signal });
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

async function mustBeDirectory(path: string): Promise<void> {
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isDirectory() !== true) {
    throw new ToolFailure(
      `${path} is not a directory. Leave out path, or find the right one with Glob "**/*".`,
    );
  }
}

/**
 * Two questions, because a glob switches ripgrep's ignoring off for all that it matches: which files match, and which
 * of all files that are not ignored are among them.
 */
async function search(
  directory: string,
  pattern: string,
  { hides, signal }: { hides: ((path: string) => boolean) | undefined; signal: AbortSignal },
): Promise<{ newest: string[]; total: number }> {
  const newest: string[] = [];
  let total = 0;
  if ((await stat(directory).catch(() => undefined))?.isDirectory() !== true)
    return { newest, total };
  const matches = new Set<string>();
  const place = { targets: ["."], cwd: directory, signal, end: "\0" } as const;
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

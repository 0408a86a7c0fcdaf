import { closeSync, constants, lstatSync } from "node:fs";
import { relative, resolve } from "node:path";
import { z } from "zod";
import { openDecided } from "../../platform/files/open-decided.ts";
import { asToolFailure } from "./file-state.ts";
import { searchVisible, type VisibleSearch } from "./search-visible.ts";
import { joined, quoted, text } from "../line.ts";
import { leafTool, ToolFailure, type LeafTool } from "../tool.ts";

const characterCap = 100_000;
const lineCap = 500;

const count = z.number().min(0).optional();
const flag = z.boolean().optional();

const grepInput = z.object({
  pattern: z.string().describe("Regular expression (Rust syntax)"),
  path: z.string().optional().describe("File or directory; default: current"),
  glob: z.string().optional().describe("File filter: *.{ts,tsx}"),
  type: z.string().optional().describe("File type: js, py"),
  output_mode: z.enum(["content", "files_with_matches", "count"]).default("files_with_matches"),
  "-A": count,
  "-B": count,
  "-C": count,
  context: count,
  "-n": flag,
  "-i": flag,
  "-o": flag,
  head_limit: z.number().min(0).default(250).describe("0: no limit"),
  offset: z.number().min(0).default(0),
  multiline: flag.describe("Match across lines"),
});

type GrepInput = z.infer<typeof grepInput>;

export const grepTool: LeafTool = leafTool({
  name: "Grep",
  description:
    "Search file contents with ripgrep. Skips what .gitignore names. -A, -B, -C (context), -n (default true) and -o work in content mode only.",
  effect: "read",
  background: true,
  audience: "all",
  mainField: "pattern",
  line: ({ pattern, path }) => joined(" ", quoted(pattern), text(path)),
  concurrency: "shared",
  repeatable: true,
  input: grepInput,
  paths: (input, cwd) => [resolve(cwd, input.path ?? ".")],
  async execute(input, context) {
    const { cwd, hides } = context.workbench;
    const path = resolve(cwd, input.path ?? ".");
    const target = targetOf(path, context.realPath(path), cwd);
    const printsContent = input.output_mode === "content";
    const lines: string[] = [];
    let position = 0;
    let characters = 0;
    let more = false;
    const order = input.output_mode === "files_with_matches" ? "--sortr=modified" : "--sort=path";
    const printed = searchVisible({
      options: optionsOf(input),
      order,
      target,
      printsContent,
      cwd,
      signal: context.signal,
      hides,
    });
    for await (const line of printed) {
      position += 1;
      if (position <= input.offset) continue;
      more = isFull(lines.length, characters, input.head_limit);
      if (more) break;
      lines.push(line.replace(/^\.\//, "").toWellFormed());
      characters += line.length;
    }
    requireUnchanged(target.real);
    return {
      content: report(input, lines, more),
      data: {
        mode: input.output_mode,
        ...structured(input, lines),
        ...(more && { appliedLimit: lines.length }),
        ...(input.offset > 0 && { appliedOffset: input.offset }),
      },
    };
  },
});

function targetOf(path: string, real: string, cwd: string): VisibleSearch["target"] {
  const entry = lstatSync(real, { throwIfNoEntry: false });
  if (entry === undefined) {
    throw new ToolFailure(
      `${path} does not exist. Leave out path, or find the right one with Glob.`,
    );
  }
  if (!entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink()) {
    throw new ToolFailure(`${path} is a device, pipe or socket. Name a file or directory.`);
  }
  requireUnchanged(real);
  const inside = relative(cwd, path);
  // Relative where it can be: what ripgrep prints begins with it.
  const shown = inside.startsWith("..") ? path : inside || ".";
  return { kind: entry.isDirectory() ? "directory" : "file", shown, real };
}

/** Checks the path before and after the search: names found through a link that has come since are not revealed. */
function requireUnchanged(real: string): void {
  try {
    closeSync(openDecided(real, constants.O_RDONLY | constants.O_NONBLOCK));
  } catch (error) {
    throw asToolFailure(error, `Cannot search ${real}`);
  }
}

function isFull(lines: number, characters: number, limit: number): boolean {
  return (limit > 0 && lines >= limit) || characters > characterCap;
}

function optionsOf(input: GrepInput): string[] {
  const globs = (input.glob ?? "").split(/[\s,]+(?![^{]*\})/).filter((glob) => glob !== "");
  return [
    `--regexp=${input.pattern}`,
    ...globs.map((glob) => `--glob=${glob}`),
    ...(input.type === undefined ? [] : [`--type=${input.type}`]),
    ...(input["-i"] === true ? ["--ignore-case"] : []),
    ...(input.multiline === true ? ["--multiline", "--multiline-dotall"] : []),
    ...modeOptions(input),
  ];
}

/** Options of a mode. Each has one order, so that an offset continues where the last answer ended. */
function modeOptions(input: GrepInput): string[] {
  switch (input.output_mode) {
    case "files_with_matches":
      return ["--files-with-matches", "--sortr=modified"];
    case "count":
      return ["--count", "--with-filename", "--sort=path"];
    case "content":
      return [
        "--sort=path",
        "--with-filename",
        "--no-heading",
        `--max-columns=${lineCap}`,
        "--max-columns-preview",
        input["-n"] === false ? "--no-line-number" : "--line-number",
        ...(input["-o"] === true ? ["--only-matching"] : []),
        ...contextOption("context", input.context ?? input["-C"]),
        ...contextOption("before-context", input["-B"]),
        ...contextOption("after-context", input["-A"]),
      ];
  }
}

function contextOption(name: string, lines: number | undefined): string[] {
  return lines === undefined ? [] : [`--${name}=${Math.trunc(lines)}`];
}

function structured(input: GrepInput, lines: readonly string[]): object {
  const content = lines.join("\n");
  switch (input.output_mode) {
    case "files_with_matches":
      return { numFiles: lines.length, filenames: lines };
    case "count":
      return { numFiles: lines.length, filenames: [], content, numMatches: sumOf(lines) };
    case "content":
      return { numFiles: 0, filenames: [], content, numLines: lines.length };
  }
}

function sumOf(counts: readonly string[]): number {
  return counts.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(":") + 1)), 0);
}

function report(input: GrepInput, lines: readonly string[], more: boolean): string {
  if (lines.length === 0) return input.offset > 0 ? "No more matches" : "No matches found";
  const text = lines.join("\n");
  return more
    ? `${text}\n[More follow. To read on, repeat with offset ${input.offset + lines.length}.]`
    : text;
}

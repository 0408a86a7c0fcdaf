import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { missingFile } from "./file-state.ts";
import { absolutePath } from "../../platform/files/absolute-path.ts";
import { leafTool, ToolFailure, type LeafTool } from "../tool.ts";
import { changeFile, recordable } from "./write.ts";

export const editTool: LeafTool = leafTool({
  name: "Edit",
  description:
    "Replace exact text in a file that you have read. old_string must occur once, unless replace_all.",
  input: z.object({
    file_path: z.string(),
    old_string: z.string().describe("Exact text, without line numbers"),
    new_string: z.string(),
    replace_all: z.boolean().optional(),
  }),
  effect: "edit",
  background: true,
  audience: "all",
  forMemory: true,
  mainField: "file_path",
  concurrency: "alone",
  repeatable: false,
  paths: (input, cwd) => [absolutePath(input.file_path, cwd)],

  async execute(input, context) {
    const path = absolutePath(input.file_path, context.workbench.cwd);
    const replaceAll = input.replace_all ?? false;
    let places: number[] = [];
    const { original, patch } = await changeFile({
      context,
      path,
      changes: "part",
      async rewrite(loaded) {
        if (loaded === undefined || loaded.bytes.length === 0) {
          // An empty text matches only an empty or missing file: it asks for a new file.
          if (input.old_string === "") return input.new_string;
          if (loaded === undefined) throw await missingFile(path, context);
        }
        if (!isUtf8(loaded.bytes)) {
          throw new ToolFailure(
            `${path} is not UTF-8 text, and Edit would damage it. Use a command such as sed in Bash.`,
          );
        }
        const replacement = { path, old: input.old_string, new: input.new_string, replaceAll };
        const edited = replace(loaded.bytes.toString(), replacement);
        places = edited.lines;
        return edited.text;
      },
    });
    return {
      content: places.length === 0 ? `Created ${path}.` : `Edited ${path} at ${linesList(places)}.`,
      data: {
        filePath: path,
        oldString: input.old_string,
        newString: input.new_string,
        originalFile: recordable(original),
        structuredPatch: patch,
        userModified: false,
        replaceAll,
      },
    };
  },
});

interface Replacement {
  path: string;
  old: string;
  new: string;
  replaceAll: boolean;
}

/**
 * Replaces text. Line endings are ignored while matching, because `Read` does not show them: kept text keeps its own,
 * new text gets the file's usual one.
 */
function replace(original: string, edit: Replacement): { text: string; lines: number[] } {
  const text = toLf(original);
  const old = toLf(edit.old);
  if (old === "") {
    throw new ToolFailure("old_string is empty. Name the text to replace, or use Write.");
  }
  if (old === toLf(edit.new)) {
    throw new ToolFailure("old_string and new_string are the same. Change new_string.");
  }
  const lines = linesOf(text, old);
  if (lines.length === 0) throw notFound(text, { ...edit, old });
  if (lines.length > 1 && !edit.replaceAll) {
    throw new ToolFailure(
      `old_string occurs ${lines.length} times in ${edit.path}, at ${linesList(lines)}. ` +
        "Add surrounding lines to make it unique, or set replace_all.",
    );
  }

  const endings = original.match(/\r?\n/g) ?? [];
  const isCrlf = endings.filter((ending) => ending === "\r\n").length * 2 > endings.length;
  let line = 0;
  const kept = text.split(old).map((part, index) => {
    if (index > 0) line += countNewlines(old);
    return part.replaceAll("\n", () => endings[line++] ?? "\n");
  });
  return {
    text: kept.join(isCrlf ? toLf(edit.new).replaceAll("\n", "\r\n") : toLf(edit.new)),
    lines,
  };
}

function notFound(text: string, { path, old }: Replacement): ToolFailure {
  const unnumbered = old.replaceAll(/^ *\d+\t/gm, "");
  if (unnumbered !== old && text.includes(unnumbered)) {
    return new ToolFailure("old_string contains line numbers of Read. Leave them out.");
  }
  const similar = sameButWhitespace(text.split("\n"), old.split("\n"));
  if (similar !== undefined) {
    return new ToolFailure(
      `old_string occurs in ${path} only with different whitespace. Line ${similar.line} reads exactly:\n${similar.text}`,
    );
  }
  return new ToolFailure(
    `old_string does not occur in ${path}. Read the place again and copy the text exactly.`,
  );
}

function sameButWhitespace(
  lines: string[],
  wanted: string[],
): { line: number; text: string } | undefined {
  const bare = (line: string): string => line.replaceAll(/\s+/g, "");
  const bareLines = lines.map(bare);
  const bareWanted = wanted.map(bare);
  while (bareWanted[0] === "") bareWanted.shift();
  while (bareWanted.at(-1) === "") bareWanted.pop();
  if (bareWanted.length === 0) return undefined;

  // The wanted text may begin and end in the middle of a line.
  const last = bareWanted.length - 1;
  const fits = (line: string, index: number): boolean => {
    const part = bareWanted[index] ?? "";
    if (last === 0) return line.includes(part);
    if (index === 0) return line.endsWith(part);
    return index === last ? line.startsWith(part) : line === part;
  };
  const at = bareLines.findIndex((_, start) =>
    bareWanted.every((_, index) => fits(bareLines[start + index] ?? "", index)),
  );
  if (at === -1) return undefined;
  return { line: at + 1, text: lines.slice(at, at + last + 1).join("\n") };
}

/** The line of each occurrence. Overlapping ones count: they make the target ambiguous. */
function linesOf(text: string, wanted: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let before = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    line += countNewlines(text.slice(before, at));
    before = at;
    lines.push(line);
  }
  return lines;
}

function linesList(lines: number[]): string {
  const shown = lines.slice(0, 10).join(", ") + (lines.length > 10 ? ", …" : "");
  return `${lines.length === 1 ? "line" : "lines"} ${shown}`;
}

function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function countNewlines(text: string): number {
  return text.split("\n").length - 1;
}

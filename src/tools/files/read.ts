import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { missingFile } from "./file-state.ts";
import { absolutePath } from "../../platform/files/absolute-path.ts";
import { loadFile, type LoadedFile } from "./load-file.ts";
import { cellName, cellSource, parseNotebook, type NotebookCell } from "./notebook-edit.ts";
import {
  leafTool,
  ToolFailure,
  type LeafTool,
  type ToolContext,
  type ToolOutput,
} from "../tool.ts";

const maxLines = 2_000;
const maxLineLength = 2_000;
const maxText = 256 * 1024;
const maxImage = 5 * 1024 * 1024;
const maxCellOutput = 1_000;

const inputSchema = z.object({
  file_path: z.string(),
  offset: z.number().optional().describe("First line, from 1"),
  limit: z.number().optional().describe("Number of lines"),
});

type ReadInput = z.infer<typeof inputSchema>;

export const readTool: LeafTool = leafTool({
  name: "Read",
  description:
    "Read a file: text with line numbers (2000 lines at most by default), an image, or a Jupyter notebook.",
  input: inputSchema,
  effect: "read",
  background: true,
  audience: "all",
  forMemory: true,
  mainField: "file_path",
  concurrency: "shared",
  repeatable: true,
  paths: (input, cwd) => [absolutePath(input.file_path, cwd)],

  async execute(input, context) {
    const path = absolutePath(input.file_path, context.workbench.cwd);
    const file = await loadFile(path, context);
    if (file === undefined) throw await missingFile(path, context);
    const shown = { path, file, input, context };

    const imageType = imageTypeOf(file.bytes);
    if (imageType !== undefined) return readImage(shown, imageType);
    if (file.bytes.subarray(0, 5).toString("latin1") === "%PDF-") {
      throw new ToolFailure(`${path} is a PDF. Extract its text in Bash: pdftotext '${path}' -`);
    }
    // Like git: a NUL early on means binary, a stray one deep in a log does not.
    if (file.bytes.subarray(0, 8_000).includes(0)) {
      throw new ToolFailure(`${path} is binary. Inspect it in Bash, for example with file or xxd.`);
    }
    const isPaged = input.offset !== undefined || input.limit !== undefined;
    if (path.endsWith(".ipynb") && !isPaged) {
      const parsed = parseNotebook(file.bytes.toString());
      if ("notebook" in parsed) return readNotebook(shown, parsed.notebook.cells);
    }
    if (file.bytes.length > maxText && !isPaged) {
      throw new ToolFailure(
        `${path} is ${Math.round(file.bytes.length / 1024)} KiB, too much at once. ` +
          "Read a part with offset and limit, or search it with Grep.",
      );
    }
    return readText(shown);
  },
});

interface OpenedFile {
  path: string;
  file: LoadedFile;
  input: ReadInput;
  context: ToolContext;
}

function readText({ path, file, input, context }: OpenedFile): ToolOutput {
  const lines = linesOf(file.bytes.toString());
  const from = Math.max(1, Math.floor(input.offset ?? 1));
  if (lines.length > 0 && from > lines.length) {
    throw new ToolFailure(`${path} has ${lines.length} lines. Use an offset up to that.`);
  }
  const limit = Math.max(1, Math.floor(input.limit ?? maxLines));
  const wanted = lines.slice(from - 1, from - 1 + limit);
  const page = takePage(wanted);
  const to = from - 1 + page.length;
  context.workbench.files.sawLines(file.path, file.hash, { from, to, total: lines.length });

  const notes: string[] = [];
  if (lines.length === 0) notes.push(`${path} is empty.`);
  if (to < lines.length) {
    notes.push(`Lines ${from}-${to} of ${lines.length}. Read on with offset ${to + 1}.`);
  }
  if (page.some((line, index) => line !== wanted[index])) {
    notes.push(`Lines were cut at ${maxLineLength} characters. Grep -o or cut shows the rest.`);
  }
  if (!isUtf8(file.bytes)) notes.push("Not UTF-8: some characters are shown as \uFFFD.");
  return {
    content: [
      ...page.map((line, index) => `${from + index}\t${line}`),
      ...notes.map((note) => `(${note})`),
    ].join("\n"),
    data: {
      type: "text",
      file: {
        filePath: path,
        content: page.join("\n"),
        numLines: page.length,
        startLine: from,
        totalLines: lines.length,
      },
    },
  };
}

/** Lines without their endings; a newline at the end of the file ends the last line and starts none. */
function linesOf(text: string): string[] {
  const shown = text.startsWith("\uFEFF") ? text.slice(1) : text;
  // A plain split is several times as fast, and most files have no carriage return.
  const lines = shown.split(shown.includes("\r") ? /\r?\n/ : "\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Takes as many lines as fit into one answer; long ones are cut. */
function takePage(lines: string[]): string[] {
  const page: string[] = [];
  let size = 0;
  for (const line of lines) {
    // Half of a surrogate pair would make the request invalid.
    const cut = line.length > maxLineLength ? line.slice(0, maxLineLength).toWellFormed() : line;
    size += cut.length;
    if (size > maxText) break;
    page.push(cut);
  }
  return page;
}

type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

function imageTypeOf(bytes: Buffer): ImageType | undefined {
  const head = bytes.subarray(0, 12).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1A\n")) return "image/png";
  if (head.startsWith("\xFF\xD8\xFF")) return "image/jpeg";
  if (/^GIF8[79]a/.test(head)) return "image/gif";
  if (/^RIFF[^]{4}WEBP/.test(head)) return "image/webp";
  return undefined;
}

function readImage({ path, file, context }: OpenedFile, type: ImageType): ToolOutput {
  if (file.bytes.length > maxImage) {
    throw new ToolFailure(`${path} is an image over 5 MiB. Make a smaller copy in Bash first.`);
  }
  context.workbench.files.sawAll(file.path, file.hash);
  const base64 = file.bytes.toString("base64");
  return {
    content: [{ type: "image", source: { type: "base64", media_type: type, data: base64 } }],
    data: { type: "image", file: { base64, type, originalSize: file.bytes.length } },
  };
}

function readNotebook({ path, file, context }: OpenedFile, cells: NotebookCell[]): ToolOutput {
  const shown = cells.map((cell, index) => ({
    cell_id: cellName(cell, index),
    cellType: cell.cell_type,
    source: cellSource(cell),
    outputs: (cell.outputs ?? []).map(outputText).filter((text) => text !== ""),
  }));
  const content = shown
    .map(({ cell_id, cellType, source, outputs }) =>
      [
        `<cell id="${cell_id}" type="${cellType}">\n${source}\n</cell>`,
        ...outputs.map((output) => `<output>\n${output}\n</output>`),
      ].join("\n"),
    )
    .join("\n")
    .toWellFormed();
  if (content.length > maxText) {
    throw new ToolFailure(
      `${path} is too much at once. Read its JSON with offset and limit, or use jq in Bash.`,
    );
  }
  context.workbench.files.sawAll(file.path, file.hash);
  return {
    content: content === "" ? `(${path} has no cells.)` : content,
    data: { type: "notebook", file: { filePath: path, cells: shown } },
  };
}

function outputText(output: Record<string, unknown>): string {
  const text = fullOutputText(output).trimEnd();
  if (text.length <= maxCellOutput) return text;
  return `${text.slice(0, maxCellOutput)}\n(${text.length - maxCellOutput} more characters; see them with jq in Bash)`;
}

function fullOutputText(output: Record<string, unknown>): string {
  switch (output["output_type"]) {
    case "stream":
      return joined(output["text"]);
    case "error":
      return `${joined(output["ename"])}: ${joined(output["evalue"])}`;
    default: {
      const data = (output["data"] ?? {}) as Record<string, unknown>;
      const others = Object.keys(data).filter((type) => !type.startsWith("text/"));
      return [joined(data["text/plain"]), ...others.map((type) => `[${type}]`)].join("\n").trim();
    }
  }
}

/** Joins a text, which notebooks write as a list of lines if it is long. */
function joined(text: unknown): string {
  if (Array.isArray(text)) return text.join("");
  return typeof text === "string" ? text : "";
}

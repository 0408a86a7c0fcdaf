import { randomBytes } from "node:crypto";
import { z } from "zod";
import { errorMessage } from "../../contract/errors.ts";
import { missingFile } from "./file-state.ts";
import { absolutePath } from "../../platform/files/absolute-path.ts";
import { leafTool, ToolFailure, type LeafTool } from "../tool.ts";
import { changeFile, inFormatOf } from "./write.ts";

const inputSchema = z.object({
  notebook_path: z.string(),
  cell_id: z.string().optional().describe("id or cell-N (from 0); insert goes after it"),
  new_source: z.string(),
  cell_type: z.enum(["code", "markdown"]).optional().describe("Needed for insert"),
  edit_mode: z.enum(["replace", "insert", "delete"]).optional().describe("Default: replace"),
});

export const notebookEditTool: LeafTool = leafTool({
  name: "NotebookEdit",
  description: "Replace, insert or delete a cell of a Jupyter notebook that you have read.",
  input: inputSchema,
  effect: "edit",
  background: true,
  audience: "all",
  mainField: "notebook_path",
  concurrency: "alone",
  repeatable: false,
  paths: (input, cwd) => [absolutePath(input.notebook_path, cwd)],

  async execute(input, context) {
    const path = absolutePath(input.notebook_path, context.workbench.cwd);
    let notebook: Notebook | undefined;
    let edited: EditedCell | undefined;
    const { original, updated } = await changeFile({
      context,
      path,
      changes: "part",
      async rewrite(loaded) {
        if (loaded === undefined) throw await missingFile(path, context);
        const text = loaded.bytes.toString();
        const parsed = parseNotebook(text);
        if ("problem" in parsed) {
          throw new ToolFailure(
            `${path} is not a notebook: ${parsed.problem}. Repair it with Edit.`,
          );
        }
        notebook = parsed.notebook;
        edited = editCell(notebook, input);
        return inFormatOf(text, stringifyLike(text, notebook));
      },
    });
    const mode = input.edit_mode ?? "replace";
    return {
      content: `${pastTense[mode]} ${edited?.cell.cell_type} cell ${edited?.name} of ${path}.`,
      data: {
        new_source: input.new_source,
        ...(mode !== "insert" && { old_source: edited?.oldSource }),
        cell_id: edited?.name,
        cell_type: edited?.cell.cell_type,
        language: languageOf(notebook),
        edit_mode: mode,
        notebook_path: path,
        original_file: original,
        updated_file: updated,
      },
    };
  },
});

const pastTense = { replace: "Replaced", insert: "Inserted", delete: "Deleted" };

interface Notebook {
  cells: NotebookCell[];
  metadata?: Record<string, unknown>;
  nbformat: 4;
  nbformat_minor: number;
}

export interface NotebookCell {
  cell_type: string;
  id?: string;
  source: string | string[];
  outputs?: Record<string, unknown>[];
  [key: string]: unknown;
}

const notebookSchema = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      id: z.string().optional(),
      source: z.union([z.string(), z.array(z.string())]),
      outputs: z.array(z.record(z.string(), z.unknown())).optional(),
    }),
  ),
  metadata: z.record(z.string(), z.unknown()).optional(),
  nbformat: z.literal(4),
  nbformat_minor: z.number(),
});

/**
 * Parses a notebook. The schema only checks: its output would have other key orders, and so other lines in the file.
 */
export function parseNotebook(text: string): { notebook: Notebook } | { problem: string } {
  let notebook: unknown;
  try {
    notebook = JSON.parse(text.replace(/^\uFEFF/, ""), keepNumber);
  } catch (error) {
    return { problem: errorMessage(error) };
  }
  const checked = notebookSchema.safeParse(notebook);
  if (checked.success) return { notebook: notebook as Notebook };
  return { problem: z.prettifyError(checked.error) };
}

/** The name of a cell: its id, or its place in notebooks that are older than ids. */
export function cellName(cell: NotebookCell, index: number): string {
  return cell.id ?? `cell-${index}`;
}

export function cellSource(cell: NotebookCell): string {
  return typeof cell.source === "string" ? cell.source : cell.source.join("");
}

function languageOf(notebook: Notebook | undefined): string {
  for (const key of ["language_info", "kernelspec"]) {
    const entry = notebook?.metadata?.[key] as { name?: unknown; language?: unknown } | undefined;
    const language = key === "kernelspec" ? entry?.language : entry?.name;
    if (typeof language === "string") return language;
  }
  return "python";
}

interface EditedCell {
  cell: NotebookCell;
  name: string;
  oldSource: string;
}

function editCell(notebook: Notebook, input: z.infer<typeof inputSchema>): EditedCell {
  const { cells } = notebook;
  if (input.edit_mode === "insert") {
    if (input.cell_type === undefined) {
      throw new ToolFailure("insert needs a cell_type: code or markdown.");
    }
    const index = input.cell_id === undefined ? 0 : findCell(cells, input.cell_id) + 1;
    const cell = newCell(notebook, input.cell_type, input.new_source);
    cells.splice(index, 0, cell);
    return { cell, name: cellName(cell, index), oldSource: "" };
  }

  if (input.cell_id === undefined) {
    throw new ToolFailure(`Name the cell by cell_id: ${knownCells(cells)}.`);
  }
  const index = findCell(cells, input.cell_id);
  const cell = cells[index] as NotebookCell;
  const edited = { cell, name: cellName(cell, index), oldSource: cellSource(cell) };
  if (input.edit_mode === "delete") cells.splice(index, 1);
  else replaceSource(cell, input.cell_type ?? cell.cell_type, input.new_source);
  return edited;
}

function findCell(cells: NotebookCell[], id: string): number {
  const byId = cells.findIndex((cell) => cell.id === id);
  const index = byId === -1 ? Number(/^cell-(\d+)$/.exec(id)?.[1]) : byId;
  if (cells[index] !== undefined) return index;
  throw new ToolFailure(`There is no cell ${id}. Use one of: ${knownCells(cells)}.`);
}

function knownCells(cells: NotebookCell[]): string {
  const shown = cells.slice(0, 30).map(cellName).join(", ");
  return cells.length > 30 ? `${shown}, … (${cells.length} cells)` : shown;
}

function newCell(notebook: Notebook, type: "code" | "markdown", source: string): NotebookCell {
  const hasIds = notebook.nbformat_minor >= 5;
  return {
    cell_type: type,
    ...(type === "code" && { execution_count: null }),
    ...(hasIds && { id: randomBytes(4).toString("hex") }),
    metadata: {},
    ...(type === "code" && { outputs: [] }),
    source: sourceLines(source),
  };
}

/** Replaces the source and drops the results of the old one: the new one has not run yet. */
function replaceSource(cell: NotebookCell, type: string, source: string): void {
  cell.cell_type = type;
  cell.source = typeof cell.source === "string" ? source : sourceLines(source);
  if (type === "code") {
    cell["execution_count"] = null;
    cell.outputs = [];
  } else {
    delete cell["execution_count"];
    delete cell.outputs;
  }
}

function sourceLines(source: string): string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function stringifyLike(original: string, notebook: Notebook): string {
  const indent = /^\uFEFF?\s*\{\r?\n([ \t]+)/.exec(original)?.[1] ?? "";
  return JSON.stringify(notebook, null, indent) + (original.endsWith("\n") ? "\n" : "");
}

/** Keeps `1.0` from becoming `1`: outputs are full of such numbers, and each would be a changed line. */
function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return String(value) === context.source ? value : rawJSON(context.source);
}

// Part of Node 24, not yet of TypeScript's library.
const { rawJSON } = JSON as unknown as { rawJSON: (source: string) => unknown };

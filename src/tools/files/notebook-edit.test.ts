import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, failureOf, makeContext } from "./file-tools-fixture.ts";
import { notebookEditTool } from "./notebook-edit.ts";
import { readTool } from "./read.ts";
import { toolSpec, type ToolOutput } from "../tool.ts";

describe("NotebookEdit", () => {
  it("replaces the source of a cell, drops its results and touches no other line", async () => {
    const { path, text, edit } = await makeNotebook();
    const output = await edit({ cell_id: "run", new_source: "print(2)\nprint(3)" });
    expect(await readFile(path, "utf8")).toBe(
      text
        .replace('"execution_count": 7', '"execution_count": null')
        .replace(/"outputs": \[\n.*?\n {3}\],/s, '"outputs": [],')
        .replace('    "print(1)"', '    "print(2)\\n",\n    "print(3)"'),
    );
    expect(output.content).toBe(`Replaced code cell run of ${path}.`);
    expect(output.data).toEqual({
      new_source: "print(2)\nprint(3)",
      old_source: "print(1)",
      cell_id: "run",
      cell_type: "code",
      language: "julia",
      edit_mode: "replace",
      notebook_path: path,
      original_file: text,
      updated_file: await readFile(path, "utf8"),
    });
  });

  it("changes the type of a cell with all that belongs to it", async () => {
    const { cells, edit } = await makeNotebook();
    await edit({ cell_id: "run", new_source: "text", cell_type: "markdown" });
    await edit({ cell_id: "intro", new_source: "code()", cell_type: "code" });
    const [intro, run] = await cells();
    expect(run).toEqual({ cell_type: "markdown", id: "run", metadata: {}, source: ["text"] });
    expect(intro).toEqual({
      cell_type: "code",
      execution_count: null,
      id: "intro",
      metadata: {},
      outputs: [],
      source: ["code()"],
    });
  });

  it("inserts a cell after another one, or first", async () => {
    const { cells, edit } = await makeNotebook();
    const after = { cell_id: "intro", new_source: "a\n", cell_type: "code", edit_mode: "insert" };
    const output = await edit(after);
    await edit({ new_source: "", cell_type: "markdown", edit_mode: "insert" });
    const all = await cells();
    expect(all.map((cell) => cell["source"])).toEqual([[], ["# Title"], ["a\n"], ["print(1)"]]);
    expect(all[2]).toEqual({
      cell_type: "code",
      execution_count: null,
      id: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      metadata: {},
      outputs: [],
      source: ["a\n"],
    });
    expect(output.data).toMatchObject({ cell_id: all[2]?.["id"], edit_mode: "insert" });
    expect(output.data).not.toHaveProperty("old_source");
  });

  it("gives no ids to cells of a format that has none", async () => {
    const { cells, edit } = await makeNotebook((notebook) => (notebook.nbformat_minor = 4));
    await edit({ new_source: "x", cell_type: "code", edit_mode: "insert" });
    expect((await cells())[0]).not.toHaveProperty("id");
  });

  it("deletes a cell", async () => {
    const { path, cells, edit } = await makeNotebook();
    const output = await edit({ cell_id: "intro", new_source: "", edit_mode: "delete" });
    expect((await cells()).map((cell) => cell["id"])).toEqual(["run"]);
    expect(output.content).toBe(`Deleted markdown cell intro of ${path}.`);
    expect(output.data).toMatchObject({ old_source: "# Title" });
  });

  it("finds a cell by its place, but by a real id first", async () => {
    const { cells, edit } = await makeNotebook(({ cells }) => (cells[0].id = "cell-1"));
    await edit({ cell_id: "cell-1", new_source: "by id" });
    await edit({ cell_id: "cell-0", new_source: "by place" });
    expect((await cells())[0]?.["source"]).toEqual(["by place"]);
    expect((await cells())[1]?.["source"]).toEqual(["print(1)"]);
  });

  it("names the cells that exist when one does not", async () => {
    const { edit } = await makeNotebook();
    const unknown = failureOf(edit({ cell_id: "cell-2", new_source: "x" }));
    expect(await unknown).toBe("There is no cell cell-2. Use one of: intro, run.");
    const unnamed = failureOf(edit({ new_source: "x" }));
    expect(await unnamed).toBe("Name the cell by cell_id: intro, run.");
    const untyped = failureOf(edit({ new_source: "x", edit_mode: "insert" }));
    expect(await untyped).toContain("needs a cell_type");
  });

  it.each([
    ["tabs", (text: string) => text.replaceAll(/^ +/gm, (spaces) => "\t".repeat(spaces.length))],
    ["a single line", (text: string) => JSON.stringify(JSON.parse(text))],
    ["CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
    ["no last newline", (text: string) => text.trimEnd()],
  ])("keeps the layout of the JSON: %s", async (_, layout) => {
    const { path, text, edit } = await makeNotebook(undefined, layout);
    await edit({ cell_id: "intro", new_source: "# Other" });
    expect(await readFile(path, "utf8")).toBe(text.replace("# Title", "# Other"));
  });

  it("keeps a source that is one string one string", async () => {
    const { cells, edit } = await makeNotebook(({ cells }) => (cells[0].source = "# Title"));
    await edit({ cell_id: "intro", new_source: "a\nb" });
    expect((await cells())[0]?.["source"]).toBe("a\nb");
  });

  it("leaves numbers as they were written", async () => {
    const { path, edit } = await makeNotebook(undefined, (text) =>
      text.replace('"julia"', '"julia", "x": [1.0, 1e3, 12345678901234567890]'),
    );
    await edit({ cell_id: "intro", new_source: "x" });
    const compact = (await readFile(path, "utf8")).replaceAll(/\s/g, "");
    expect(compact).toContain('"x":[1.0,1e3,12345678901234567890]');
  });

  it("refuses a notebook that was not read, or that changed", async () => {
    const { path, text, context, edit } = await makeNotebook();
    await writeFile(path, text.replace("# Title", "# Changed"));
    const input = { cell_id: "intro", new_source: "x" };
    expect(await failureOf(edit(input))).toContain("was changed after you read it");
    context.workbench.files.clear();
    expect(await failureOf(edit(input))).toContain("you have not read it");
    expect(await readFile(path, "utf8")).toContain("# Changed");
  });

  it("says what is wrong with a file that is no notebook", async () => {
    const { edit } = await makeNotebook(undefined, () => "{");
    expect(await failureOf(edit({ cell_id: "a", new_source: "x" }))).toMatch(/JSON.*with Edit/);
    const old = await makeNotebook((notebook) => (notebook.nbformat = 3));
    expect(await failureOf(old.edit({ cell_id: "a", new_source: "x" }))).toContain("nbformat");
  });

  it("offers close names for a missing file", async () => {
    const { path, context } = await makeNotebook();
    const input = { notebook_path: "b.ipynb", cell_id: "intro", new_source: "x" };
    expect(await failureOf(call(notebookEditTool, input, context))).toContain(`mean ${path}?`);
  });

  it("tells which path it writes and costs little of a request", () => {
    expect(notebookEditTool.paths?.({ notebook_path: "a" }, "/home/me")).toEqual(["/home/me/a"]);
    expect(JSON.stringify(toolSpec(notebookEditTool)).length).toBeLessThanOrEqual(700);
  });
});

interface Intro {
  cell_type: string;
  id: string;
  metadata: object;
  source: string | string[];
}

const sample = () => ({
  cells: [
    { cell_type: "markdown", id: "intro", metadata: {}, source: ["# Title"] },
    {
      cell_type: "code",
      execution_count: 7,
      id: "run",
      metadata: {},
      outputs: [{ name: "stdout", output_type: "stream", text: ["1\n"] }],
      source: ["print(1)"],
    },
  ] as [Intro, object],
  metadata: { zeta: 1, language_info: { name: "julia" }, alpha: 2 },
  nbformat: 4,
  nbformat_minor: 5,
});

/** A notebook that the agent has read. */
async function makeNotebook(
  change: (notebook: ReturnType<typeof sample>) => void = () => {},
  layout: (text: string) => string = (text) => text,
) {
  const context = await makeContext();
  const path = join(context.workbench.cwd, "a.ipynb");
  const notebook = sample();
  change(notebook);
  const text = layout(`${JSON.stringify(notebook, null, 1)}\n`);
  await writeFile(path, text);
  await call(readTool, { file_path: path }, context);
  return {
    path,
    text,
    context,
    edit: (input: Record<string, unknown>): Promise<ToolOutput> =>
      call(notebookEditTool, { notebook_path: path, ...input }, context),
    cells: async (): Promise<Record<string, unknown>[]> =>
      (JSON.parse(await readFile(path, "utf8")) as { cells: Record<string, unknown>[] }).cells,
  };
}

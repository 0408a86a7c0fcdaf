import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf } from "../../contract/message.ts";
import { realPath } from "../../platform/files/real-path.ts";
import {
  keepSwapping,
  makeSwappable,
  tally,
  type Swapped,
} from "../../platform/files/swap-fixture.ts";
import { editTool } from "./edit.ts";
import { call, failureOf, makeContext } from "./file-tools-fixture.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { notebookEditTool } from "./notebook-edit.ts";
import { readTool } from "./read.ts";
import { ripgrep } from "./ripgrep.ts";
import type { LeafTool, ToolContext } from "../tool.ts";
import { writeTool } from "./write.ts";

/** An agent whose calls were decided on before anything was swapped: each name leads inside. */
async function decided({ inside }: Swapped): Promise<ToolContext> {
  const context = await makeContext({ root: inside });
  return { ...context, realPath: (path) => path };
}

async function run(
  tool: LeafTool,
  input: Record<string, unknown>,
  context: ToolContext,
): Promise<string> {
  return textOf((await call(tool, input, context)).content);
}

function swapFor(place: string, target: string): void {
  renameSync(place, `${place}-aside`);
  symlinkSync(target, place);
}

describe("a link that comes between the decision and the call", () => {
  const edit = { file_path: "f", old_string: "outside", new_string: "overwritten" };

  it.each([
    ["Read", readTool, { file_path: "f" }],
    ["Write", writeTool, { file_path: "f", content: "overwritten" }],
    ["Edit", editTool, edit],
    ["NotebookEdit", notebookEditTool, { notebook_path: "f", cell_id: "a", new_source: "" }],
  ])("is not followed by %s, at the file or above it", async (_, tool, input) => {
    const swapped = await makeSwappable(["f"]);
    const { inside, outside } = swapped;
    const context = await decided(swapped);
    await run(readTool, { file_path: "f" }, context);

    swapFor(inside, outside);
    const above = await failureOf(call(tool, input, context));
    expect(above).toBe(
      `${join(inside, "f")} changed while it was being opened: it now leads to ${join(outside, "f")}. Try again.`,
    );

    unlinkSync(inside);
    renameSync(`${inside}-aside`, inside);
    swapFor(join(inside, "f"), join(outside, "f"));
    expect(await failureOf(call(tool, input, context))).toBe(above);
    expect(readFileSync(join(outside, "f"), "utf8")).toBe("outside\n");
    expect(readdirSync(outside)).toEqual(["f"]);
  });

  it("is not followed by a Write of a new file, nor by the directories that it makes", async () => {
    const swapped = await makeSwappable([]);
    const { inside, outside } = swapped;
    const context = await decided(swapped);
    mkdirSync(join(inside, "sub"));
    swapFor(join(inside, "sub"), outside);
    for (const file_path of ["sub/new", "sub/a/b/new"]) {
      const message = await failureOf(call(writeTool, { file_path, content: "x" }, context));
      expect(message).toContain("changed while it was being opened: it now leads to");
    }
    symlinkSync(join(outside, "new"), join(inside, "link"));
    await failureOf(call(writeTool, { file_path: "link", content: "x" }, context));
    expect(readdirSync(outside)).toEqual([]);
  });

  it("does not make Read tell the names that lie behind it", async () => {
    const swapped = await makeSwappable([]);
    const context = await decided(swapped);
    writeFileSync(join(swapped.outside, "secrets.txt"), "");
    swapFor(swapped.inside, swapped.outside);
    const message = await failureOf(call(readTool, { file_path: "secret.txt" }, context));
    expect(message).not.toContain("secrets.txt");
  });
});

describe("a link that comes between the decision and a search", () => {
  it.each([
    ["Grep", grepTool, { pattern: "side", output_mode: "content" }],
    ["Grep of a file", grepTool, { pattern: "side", path: "f", output_mode: "content" }],
    ["Grep for names", grepTool, { pattern: "side" }],
    ["Glob", globTool, { pattern: "*" }],
  ])("is not followed by %s", async (_, tool, input) => {
    const swapped = await makeSwappable(["f"]);
    const context = await decided(swapped);
    expect(await run(tool, input, context)).toContain("f");
    swapFor(swapped.inside, swapped.outside);
    const message = await failureOf(call(tool, input, context));
    expect(message).toContain("changed while it was being opened: it now leads to");
  });

  it("is not followed by Glob and Grep below the place where they start", async () => {
    const swapped = await makeSwappable(["f"]);
    const context = await decided(swapped);
    symlinkSync(swapped.outside, join(swapped.inside, "sub"));
    const grep = { pattern: "side", output_mode: "content" };
    expect(await run(grepTool, grep, context)).toBe("f:1:inside");
    expect(await run(globTool, { pattern: "**/*" }, context)).toBe("f");
  });
});

describe("while a directory is swapped for a link without end", () => {
  it("Read never shows what lies behind the link", async () => {
    const swapped = await makeSwappable(["f"]);
    const context = await decided(swapped);
    const path = realPath(join(swapped.inside, "f"));
    await keepSwapping(swapped);
    const naive = await tally(5_000, () => readFileSync(path, "utf8"));
    const reads = await tally(5_000, () => run(readTool, { file_path: "f" }, context));
    expect(naive.outside).toBeGreaterThan(0);
    expect(reads.outside).toBe(0);
    expect(Math.min(reads.inside, reads.changed)).toBeGreaterThan(0);
  });

  it("Write never makes anything behind the link", async () => {
    const swapped = await makeSwappable([]);
    const { inside, outside } = swapped;
    const context = await decided(swapped);
    const end = await keepSwapping(swapped);
    let count = 0;
    await tally(2_000, () => {
      writeFileSync(join(inside, `naive-${count++}`), "");
      return "";
    });
    const naive = readdirSync(outside);
    expect(naive.length).toBeGreaterThan(0);

    const write = async (name: string): Promise<string> =>
      run(writeTool, { file_path: name, content: "x" }, context);
    const flat = await tally(2_000, () => write(`new-${count++}`));
    const deep = await tally(1_000, () => write(`deep-${count++}/a/new`));
    await end();
    expect(readdirSync(outside)).toEqual(naive);
    for (const counts of [flat, deep]) {
      expect(Math.min(counts.inside, counts.changed)).toBeGreaterThan(0);
    }
    expect(readdirSync(inside).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("Edit never changes what lies behind the link", async () => {
    const swapped = await makeSwappable(["f"]);
    const { outside } = swapped;
    writeFileSync(join(outside, "f"), "inside\n");
    const context = await decided(swapped);
    const end = await keepSwapping(swapped);
    const edits = await tally(3_000, async () => {
      const from = (await run(readTool, { file_path: "f" }, context)).slice(2);
      const edit = { file_path: "f", old_string: from, new_string: `${from}!` };
      return run(editTool, edit, context);
    });
    await end();
    expect(readFileSync(join(outside, "f"), "utf8")).toBe("inside\n");
    expect(readdirSync(outside)).toEqual(["f"]);
    expect(Math.min(edits.inside, edits.changed)).toBeGreaterThan(0);
  });

  it("Grep never shows what lies behind the link, where ripgrep alone does", async () => {
    const swapped = await makeSwappable(["f"]);
    const root = dirname(swapped.inside);
    const context = { ...(await makeContext({ root })), realPath: (path: string) => path };
    await keepSwapping(swapped);
    const naive = await tally(100, async () => {
      const { signal } = context;
      const options = ["--regexp=side", "--glob=inside/**", "--no-filename"];
      const lines: string[] = [];
      for await (const line of ripgrep({ options, targets: ["."], cwd: root, signal })) {
        lines.push(line);
      }
      return lines.join("\n");
    });
    const input = { pattern: "side", glob: "inside/**", output_mode: "content" };
    const shown: string[] = [];
    const greps = await tally(200, async () => {
      shown.push(await run(grepTool, input, context));
      return shown.at(-1) ?? "";
    });
    expect(naive.outside).toBeGreaterThan(0);
    expect(greps).toEqual({ inside: 200, outside: 0, changed: 0, failed: 0 });
    expect(new Set(shown)).toEqual(new Set(["inside/f:1:inside", "No matches found"]));
  });
});

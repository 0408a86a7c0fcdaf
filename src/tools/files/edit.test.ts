import { chmod, lstat, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editTool } from "./edit.ts";
import { FileLedger } from "./file-state.ts";
import { call, failureOf, makeContext } from "./file-tools-fixture.ts";
import { readTool } from "./read.ts";
import { toolSpec, type ToolContext, type ToolOutput } from "../tool.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

describe("Edit", () => {
  it("replaces the one occurrence and reports where", async () => {
    const { path, edit } = await makeFile("one\ntwo\nthree\n");
    const output = await edit("two", "2");
    expect(await readFile(path, "utf8")).toBe("one\n2\nthree\n");
    expect(output.content).toBe(`Edited ${path} at line 2.`);
    expect(output.data).toEqual({
      filePath: path,
      oldString: "two",
      newString: "2",
      originalFile: "one\ntwo\nthree\n",
      structuredPatch: [
        {
          oldStart: 1,
          oldLines: 3,
          newStart: 1,
          newLines: 3,
          lines: [" one", "-two", "+2", " three"],
        },
      ],
      userModified: false,
      replaceAll: false,
    });
  });

  it("takes replacement patterns literally", async () => {
    const { path, edit } = await makeFile("a.b");
    await edit(".", "$&$1");
    expect(await readFile(path, "utf8")).toBe("a$&$1b");
  });

  it("refuses a text that occurs several times, and says where", async () => {
    const { path, edit } = await makeFile("x\ny\nx\nx\n");
    const message = await failureOf(edit("x", "z"));
    expect(message).toMatch(/occurs 3 times in .*, at lines 1, 3, 4\. .*replace_all/);
    expect(await readFile(path, "utf8")).toBe("x\ny\nx\nx\n");
  });

  it("takes overlapping occurrences for several", async () => {
    const { edit } = await makeFile("}\n}\n}\n");
    expect(await failureOf(edit("}\n}", ""))).toContain("occurs 2 times");
  });

  it("replaces all occurrences when asked", async () => {
    const { path, edit } = await makeFile("x\ny\nx\n");
    const output = await edit("x", "xx", { replace_all: true });
    expect(await readFile(path, "utf8")).toBe("xx\ny\nxx\n");
    expect(output.content).toBe(`Edited ${path} at lines 1, 3.`);
    expect(output.data).toMatchObject({ replaceAll: true });
  });

  it("makes a new file out of an empty old text", async () => {
    const context = await makeContext();
    const input = { file_path: "deep/new.json", old_string: "", new_string: "{}" };
    const output = await call(editTool, input, context);
    const path = join(context.workbench.cwd, "deep/new.json");
    expect(output.content).toBe(`Created ${path}.`);
    expect(await readFile(path, "utf8")).toBe("{}");
  });

  it("refuses an empty old text and one that is the same as the new", async () => {
    const { edit } = await makeFile("x\n");
    expect(await failureOf(edit("", "y"))).toMatch(/empty.*Write/);
    expect(await failureOf(edit("x", "x"))).toContain("the same");
  });

  it("says so when a text occurs nowhere", async () => {
    const { path, edit } = await makeFile("one\n");
    expect(await failureOf(edit("two", "2"))).toBe(
      `old_string does not occur in ${path}. Read the place again and copy the text exactly.`,
    );
  });

  it("shows the exact lines when only whitespace differs", async () => {
    const { path, edit } = await makeFile("begin\n\tif (a) {\n\t\tb( );\n\t}\n");
    expect(await failureOf(edit("  if (a) {\n    b();\n  }\n", "x"))).toBe(
      `old_string occurs in ${path} only with different whitespace. Line 2 reads exactly:\n\tif (a) {\n\t\tb( );\n\t}`,
    );
    expect(await failureOf(edit("{\n  b()", "x"))).toContain("exactly:\n\tif (a) {\n\t\tb( );");
    expect(await failureOf(edit("b(  )", "x"))).toContain("Line 3 reads exactly:\n\t\tb( );");
  });

  it("points out line numbers that were copied from Read", async () => {
    const { edit } = await makeFile("one\ntwo\n");
    expect(await failureOf(edit("1\tone\n2\ttwo", "x"))).toContain("line numbers");
  });

  it("keeps CRLF, byte order mark and mode, and matches text with plain line feeds", async () => {
    const { path, edit } = await makeFile("\uFEFFone\r\ntwo\r\nthree");
    await chmod(path, 0o750);
    await edit("one\ntwo", "1\n1.5\n2");
    expect(await readFile(path, "utf8")).toBe("\uFEFF1\r\n1.5\r\n2\r\nthree");
    expect((await stat(path)).mode & 0o777).toBe(0o750);
  });

  it("does not double carriage returns that the new text brings along", async () => {
    const { path, edit } = await makeFile("one\r\ntwo\r\n");
    await edit("one\r\n", "1\r\n");
    expect(await readFile(path, "utf8")).toBe("1\r\ntwo\r\n");
  });

  it("leaves untouched lines of a file with mixed endings as they are", async () => {
    const { path, edit } = await makeFile("a\nb\r\nc\r\nx\nd\r\ne\nf\r\n");
    await edit("c\nx", "C\nX");
    expect(await readFile(path, "utf8")).toBe("a\nb\r\nC\r\nX\nd\r\ne\nf\r\n");
  });

  it("refuses a file that is not UTF-8, which it would damage", async () => {
    const bytes = Buffer.from("caf\xE9 one\n", "latin1");
    const { path, edit } = await makeFile(bytes);
    expect(await failureOf(edit("one", "two"))).toMatch(/not UTF-8.*Bash/);
    expect(await readFile(path)).toEqual(bytes);
  });

  it("edits the target of a symlink", async () => {
    const { path, context } = await makeFile("one");
    const link = join(context.workbench.cwd, "link");
    await symlink(path, link);
    await call(editTool, { file_path: link, old_string: "one", new_string: "two" }, context);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(path, "utf8")).toBe("two");
  });

  it("refuses a file that was not read, and accepts one that was read in part", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a.txt");
    await writeFile(path, "one\ntwo\nthree\n");
    const input = { file_path: "a.txt", old_string: "two", new_string: "2" };
    expect(await failureOf(call(editTool, input, context))).toContain("you have not read it");
    await call(readTool, { file_path: path, offset: 2, limit: 1 }, context);
    await call(editTool, input, context);
    expect(await readFile(path, "utf8")).toBe("one\n2\nthree\n");
    expect(context.workbench.files.recall(path)?.extent).toBe("partial");
  });

  it("may follow its own edits without reading again", async () => {
    const { path, context, edit } = await makeFile("one two");
    await edit("one", "1");
    await edit("two", "2");
    expect(await readFile(path, "utf8")).toBe("1 2");
    expect(context.workbench.files.recall(path)?.extent).toBe("whole");
  });

  it("names the sibling whose edit came in between", async () => {
    const [root, ledger] = [temporaryDirectory(), new FileLedger()];
    const mine = await makeContext({ root, ledger });
    const theirs = await makeContext({ root, ledger, agentType: "fixer" });
    const path = join(root, "a.txt");
    await writeFile(path, "one two");
    for (const context of [mine, theirs]) await call(readTool, { file_path: path }, context);
    const outcomes = await Promise.allSettled([
      call(editTool, { file_path: path, old_string: "one", new_string: "1" }, theirs),
      call(editTool, { file_path: path, old_string: "two", new_string: "2" }, mine),
    ]);
    expect(outcomes[0].status).toBe("fulfilled");
    expect(outcomes[1]).toMatchObject({
      reason: {
        message: `${path} was changed by agent fixer (${theirs.agentId}) after you read it. Read it again, then redo your change on top.`,
      },
    });
    expect(await readFile(path, "utf8")).toBe("1 two");
  });

  it("offers close names for a missing file", async () => {
    const { path, context } = await makeFile("one");
    const input = { file_path: "b.txt", old_string: "one", new_string: "1" };
    const message = await failureOf(call(editTool, input, context));
    expect(message).toContain(`Did you mean ${path}?`);
  });

  it("tells which path it writes and costs little of a request", () => {
    expect(editTool.paths?.({ file_path: "../a" }, "/home/me/b")).toEqual(["/home/me/a"]);
    expect(JSON.stringify(toolSpec(editTool)).length).toBeLessThanOrEqual(700);
  });
});

interface OpenedFile {
  path: string;
  context: ToolContext;
  edit: (old: string, replacement: string, more?: { replace_all: boolean }) => Promise<ToolOutput>;
}

/** A file that the agent has read. */
async function makeFile(content: string | Buffer): Promise<OpenedFile> {
  const context = await makeContext();
  const path = join(context.workbench.cwd, "a.txt");
  await writeFile(path, content);
  await call(readTool, { file_path: path }, context);
  return {
    path,
    context,
    edit: (old_string, new_string, more) =>
      call(editTool, { file_path: path, old_string, new_string, ...more }, context),
  };
}

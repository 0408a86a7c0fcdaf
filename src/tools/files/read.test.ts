import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { textOf } from "../../contract/message.ts";
import { call, failureOf, makeContext } from "./file-tools-fixture.ts";
import { readTool } from "./read.ts";
import { toolSpec } from "../tool.ts";

describe("Read", () => {
  it("numbers the lines of a text", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a.txt");
    await writeFile(path, "one\n\tthree\n\nfour\n");
    const output = await call(readTool, { file_path: path }, context);
    expect(output.content).toBe("1\tone\n2\t\tthree\n3\t\n4\tfour");
    expect(output.data).toEqual({
      type: "text",
      file: {
        filePath: path,
        content: "one\n\tthree\n\nfour",
        numLines: 4,
        startLine: 1,
        totalLines: 4,
      },
    });
  });

  it("shows neither carriage returns nor a byte order mark", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "a.txt"), "\uFEFFone\r\ntwo\r\n");
    const { content } = await call(readTool, { file_path: "a.txt" }, context);
    expect(content).toBe("1\tone\n2\ttwo");
  });

  it("resolves a relative path against the directory where the shell stands", async () => {
    const context = await makeContext();
    await mkdir(join(context.workbench.root, "sub"));
    await writeFile(join(context.workbench.root, "sub/a.txt"), "here");
    context.workbench.cwd = join(context.workbench.root, "sub");
    expect((await call(readTool, { file_path: "a.txt" }, context)).content).toBe("1\there");
    expect(readTool.paths?.({ file_path: "a.txt" }, "/home/me")).toEqual(["/home/me/a.txt"]);
  });

  it("starts at offset, stops after limit, and says how to read on", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "a.txt"), "1\n2\n3\n4\n5\n");
    const middle = await call(readTool, { file_path: "a.txt", offset: 2, limit: 2 }, context);
    expect(middle.content).toBe("2\t2\n3\t3\n(Lines 2-3 of 5. Read on with offset 4.)");
    const end = await call(readTool, { file_path: "a.txt", offset: 4, limit: 2 }, context);
    expect(end.content).toBe("4\t4\n5\t5");
  });

  it("fails when the offset is past the end", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "a.txt"), "1\n2\n");
    const message = await failureOf(call(readTool, { file_path: "a.txt", offset: 3 }, context));
    expect(message).toContain("has 2 lines");
  });

  it("shows 2,000 lines unless told otherwise", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "a.txt"), "x\n".repeat(2_001));
    const { content } = await call(readTool, { file_path: "a.txt" }, context);
    expect(textOf(content).split("\n").slice(-2)).toEqual([
      "2000\tx",
      "(Lines 1-2000 of 2001. Read on with offset 2001.)",
    ]);
  });

  it("cuts long lines and says so, without leaving half a character", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "a.txt"), `${"x".repeat(1_999)}😀y\nshort\n`);
    const { content } = await call(readTool, { file_path: "a.txt" }, context);
    const lines = textOf(content).split("\n");
    expect(lines[0]).toBe(`1\t${"x".repeat(1_999)}\uFFFD`);
    expect(lines[1]).toBe("2\tshort");
    expect(lines[2]).toContain("cut at 2000 characters");
  });

  it("refuses a large text without offset or limit, and shows parts of it", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "a.txt"), `${"x".repeat(99)}\n`.repeat(3_000));
    const message = await failureOf(call(readTool, { file_path: "a.txt" }, context));
    expect(message).toMatch(/is 293 KiB.*offset and limit/);
    const part = await call(readTool, { file_path: "a.txt", offset: 2_990 }, context);
    expect(textOf(part.content).split("\n")).toHaveLength(11);
  });

  it("never shows more than fits into one answer, whatever the limit", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "a.txt"), `${"x".repeat(99)}\n`.repeat(9_000));
    const { content } = await call(readTool, { file_path: "a.txt", limit: 9_000 }, context);
    expect(textOf(content).length).toBeLessThan(300 * 1024);
    expect(content).toContain("(Lines 1-2647 of 9000. Read on with offset 2648.)");
  });

  it("refuses a file that is too large to load", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "huge");
    await writeFile(path, "");
    await truncate(path, 64 * 1024 * 1024 + 1);
    const message = await failureOf(call(readTool, { file_path: path, limit: 1 }, context));
    expect(message).toMatch(/over 64 MiB.*Grep/);
  });

  it("says that a file is empty", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "empty");
    await writeFile(path, "");
    const { content } = await call(readTool, { file_path: path }, context);
    expect(content).toBe(`(${path} is empty.)`);
  });

  it("says so when a text is not UTF-8", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "latin"), Buffer.from("caf\xE9\n", "latin1"));
    const { content } = await call(readTool, { file_path: "latin" }, context);
    expect(content).toMatch(/^1\tcaf\uFFFD\n\(Not UTF-8/);
  });

  it("refuses binary files and PDFs and names a command", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "binary"), Buffer.from([127, 69, 76, 70, 0, 1]));
    await writeFile(join(context.workbench.cwd, "paper.pdf"), "%PDF-1.7\n");
    expect(await failureOf(call(readTool, { file_path: "binary" }, context))).toContain("xxd");
    expect(await failureOf(call(readTool, { file_path: "paper.pdf" }, context))).toContain(
      "pdftotext",
    );
  });

  it("refuses a directory and names what lists it", async () => {
    const context = await makeContext();
    expect(await failureOf(call(readTool, { file_path: "." }, context))).toMatch(/Glob or `ls`/);
  });

  it("offers close names for a missing file", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "config.yaml"), "");
    const message = await failureOf(call(readTool, { file_path: "config.yml" }, context));
    expect(message).toContain(`Did you mean ${join(context.workbench.cwd, "config.yaml")}?`);
  });

  it("refuses pipes, devices and sockets at once instead of waiting for them", async () => {
    const context = await makeContext();
    const pipe = join(context.workbench.cwd, "pipe");
    execFileSync("mkfifo", [pipe]);
    await symlink(pipe, join(context.workbench.cwd, "link"));
    const socket = join(context.workbench.cwd, "socket");
    const server = createServer().listen(socket);
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    for (const path of [pipe, "link", socket, "/dev/zero"]) {
      expect(await failureOf(call(readTool, { file_path: path }, context))).toMatch(
        /device, pipe or socket/,
      );
    }
  });

  it("reads files of the system that report no size", async () => {
    const context = await makeContext();
    const { content } = await call(readTool, { file_path: `/proc/${process.pid}/stat` }, context);
    expect(content).toContain(`1\t${process.pid} (`);
  });

  it("explains a path through a file and a cycle of symlinks", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "file"), "");
    await symlink("loop", join(context.workbench.cwd, "loop"));
    expect(await failureOf(call(readTool, { file_path: "file/x" }, context))).toContain(
      "not a directory",
    );
    expect(await failureOf(call(readTool, { file_path: "loop" }, context))).toContain("cycle");
  });

  it.each([
    ["image/png", Buffer.from("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", "latin1")],
    ["image/jpeg", Buffer.from("\xFF\xD8\xFF\xE0\0\x10JFIF", "latin1")],
    ["image/gif", Buffer.from("GIF89a\x01\0\x01\0", "latin1")],
    ["image/webp", Buffer.from("RIFF\x1A\0\0\nWEBPVP8L", "latin1")],
  ])("shows %s by its content, not its name", async (type, bytes) => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "picture.txt"), bytes);
    const output = await call(readTool, { file_path: "picture.txt" }, context);
    const base64 = bytes.toString("base64");
    expect(output.content).toEqual([
      { type: "image", source: { type: "base64", media_type: type, data: base64 } },
    ]);
    expect(output.data).toEqual({
      type: "image",
      file: { base64, type, originalSize: bytes.length },
    });
  });

  it("refuses an image over 5 MiB", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a.png");
    await writeFile(path, "\x89PNG\r\n\x1A\n", "latin1");
    await truncate(path, 5 * 1024 * 1024);
    expect((await call(readTool, { file_path: path }, context)).content).toHaveLength(1);
    await truncate(path, 5 * 1024 * 1024 + 1);
    expect(await failureOf(call(readTool, { file_path: path }, context))).toContain("smaller copy");
  });

  it("shows a notebook cell by cell with short outputs", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a.ipynb");
    await writeFile(path, JSON.stringify(notebook));
    const output = await call(readTool, { file_path: path }, context);
    expect(output.content).toBe(
      [
        '<cell id="intro" type="markdown">\n# Title\ntext\n</cell>',
        '<cell id="cell-1" type="code">\nprint(1)\n</cell>',
        "<output>\n1\n</output>",
        "<output>\n<Figure>\n[image/png]\n</output>",
        "<output>\nValueError: bad\n</output>",
        `<output>\n${"y".repeat(1_000)}\n(500 more characters; see them with jq in Bash)\n</output>`,
      ].join("\n"),
    );
    expect(output.data).toMatchObject({
      type: "notebook",
      file: {
        filePath: path,
        cells: [{ cell_id: "intro" }, { cell_id: "cell-1", cellType: "code" }],
      },
    });
  });

  it("shows the JSON of a notebook that is broken or read in parts", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "broken.ipynb"), '{"cells": [');
    const broken = await call(readTool, { file_path: "broken.ipynb" }, context);
    expect(broken.content).toBe('1\t{"cells": [');
    await writeFile(join(context.workbench.cwd, "a.ipynb"), JSON.stringify(notebook, null, 1));
    const part = await call(readTool, { file_path: "a.ipynb", limit: 2 }, context);
    expect(part.content).toMatch(/^1\t\{\n2\t "cells": \[\n/);
  });

  it("refuses a notebook with more text than fits into one answer", async () => {
    const context = await makeContext();
    const cell = { cell_type: "raw", metadata: {}, source: "x".repeat(300 * 1024) };
    await writeFile(
      join(context.workbench.cwd, "a.ipynb"),
      JSON.stringify({ ...notebook, cells: [cell] }),
    );
    const message = await failureOf(call(readTool, { file_path: "a.ipynb" }, context));
    expect(message).toMatch(/too much at once.*offset and limit/);
  });

  it("notes what the agent has seen", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a.txt");
    await writeFile(path, "1\n2\n3\n");
    await symlink("a.txt", join(context.workbench.cwd, "link"));
    await call(readTool, { file_path: "link", limit: 2 }, context);
    expect(context.workbench.files.recall(path)?.extent).toBe("partial");
    await call(readTool, { file_path: path, offset: 3 }, context);
    expect(context.workbench.files.recall(path)?.extent).toBe("whole");
  });

  it("says in words that a part of the path is a file", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "a.txt"), "1");
    await expect(call(readTool, { file_path: "a.txt/b" }, context)).rejects.toThrow(
      /is a file, not a directory/,
    );
  });

  it("ends with the abort's reason when aborted", async () => {
    const reason = new Error("stopped");
    const context = await makeContext({ signal: AbortSignal.abort(reason) });
    await writeFile(join(context.workbench.cwd, "a.txt"), "1\n");
    await expect(call(readTool, { file_path: "a.txt" }, context)).rejects.toBe(reason);
  });

  it("leaves the file as it is", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a.txt");
    await writeFile(path, "\uFEFF1\r\n2");
    await call(readTool, { file_path: path }, context);
    expect(await readFile(path, "utf8")).toBe("\uFEFF1\r\n2");
  });

  it("costs little of a request", () => {
    expect(JSON.stringify(toolSpec(readTool)).length).toBeLessThanOrEqual(600);
  });
});

const notebook = {
  cells: [
    { cell_type: "markdown", id: "intro", metadata: {}, source: ["# Title\n", "text"] },
    {
      cell_type: "code",
      execution_count: 1,
      metadata: {},
      outputs: [
        { output_type: "stream", name: "stdout", text: ["1\n"] },
        { output_type: "display_data", data: { "text/plain": "<Figure>", "image/png": "iVBO" } },
        { output_type: "error", ename: "ValueError", evalue: "bad", traceback: ["long"] },
        { output_type: "execute_result", data: { "text/plain": ["y".repeat(1_500)] } },
      ],
      source: "print(1)",
    },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
};

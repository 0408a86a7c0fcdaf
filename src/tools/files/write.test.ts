import {
  chmod,
  lstat,
  readdir,
  readFile,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileLedger } from "./file-state.ts";
import { call, failureOf, makeContext } from "./file-tools-fixture.ts";
import { readTool } from "./read.ts";
import { toolSpec } from "../tool.ts";
import { writeTool } from "./write.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

describe("Write", () => {
  it("creates a file with its directories", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a/b/new.txt");
    const output = await call(writeTool, { file_path: "a/b/new.txt", content: "hello\n" }, context);
    expect(output.content).toBe(`Created ${path}.`);
    expect(output.data).toEqual({
      type: "create",
      filePath: path,
      content: "hello\n",
      structuredPatch: [],
      originalFile: null,
    });
    expect(await readFile(path, "utf8")).toBe("hello\n");
    expect(writeTool.paths?.({ file_path: "a/b/new.txt" }, context.workbench.cwd)).toEqual([path]);
  });

  it("replaces a file that was read, and reports a patch", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a.txt");
    await writeFile(path, "one\ntwo\n");
    await call(readTool, { file_path: path }, context);
    const output = await call(writeTool, { file_path: path, content: "one\n2\n3\n" }, context);
    expect(output.content).toBe(`Replaced ${path} (2 lines added, 1 removed).`);
    expect(output.data).toMatchObject({
      type: "update",
      originalFile: "one\ntwo\n",
      structuredPatch: [
        { oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, lines: [" one", "-two", "+2", "+3"] },
      ],
    });
    expect(await readFile(path, "utf8")).toBe("one\n2\n3\n");
  });

  it("refuses to overwrite a file that was not read", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a.txt");
    await writeFile(path, "old");
    const message = await failureOf(call(writeTool, { file_path: path, content: "new" }, context));
    expect(message).toBe(`${path} exists and you have not read it. Read it first.`);
    expect(await readFile(path, "utf8")).toBe("old");
  });

  it("refuses to overwrite a file of which only a part was read", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a.txt");
    await writeFile(path, "1\n2\n3\n");
    await call(readTool, { file_path: path, limit: 2 }, context);
    const message = await failureOf(call(writeTool, { file_path: path, content: "new" }, context));
    expect(message).toMatch(/only a part.*Read the rest first/);
    await call(readTool, { file_path: path, offset: 3 }, context);
    await call(writeTool, { file_path: path, content: "new" }, context);
    expect(await readFile(path, "utf8")).toBe("new");
  });

  it("refuses to overwrite a file that changed after it was read, even with the same time and size", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a.txt");
    await writeFile(path, "old");
    const { atime, mtime } = await stat(path);
    await call(readTool, { file_path: path }, context);
    await writeFile(path, "OLD");
    await utimes(path, atime, mtime);
    const message = await failureOf(call(writeTool, { file_path: path, content: "new" }, context));
    expect(message).toBe(
      `${path} was changed after you read it. Read it again, then redo your change on top.`,
    );
    expect(await readFile(path, "utf8")).toBe("OLD");
  });

  it("does not take a touched file for a changed one", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "a.txt");
    await writeFile(path, "old");
    await call(readTool, { file_path: path }, context);
    await utimes(path, new Date(), new Date(Date.now() + 60_000));
    await call(writeTool, { file_path: path, content: "new" }, context);
    expect(await readFile(path, "utf8")).toBe("new");
  });

  it("names the sibling that changed the file, for readers and for strangers", async () => {
    const { first, second, third, path } = await makeSiblings();
    await writeFile(path, "old");
    await call(readTool, { file_path: path }, first);
    await call(readTool, { file_path: path }, second);
    await call(writeTool, { file_path: path, content: "second's" }, second);
    expect(await failureOf(call(writeTool, { file_path: path, content: "x" }, first))).toContain(
      `was changed by agent fixer (${second.agentId}) after you read it`,
    );
    expect(await failureOf(call(writeTool, { file_path: path, content: "x" }, third))).toContain(
      `last changed by agent fixer (${second.agentId}), and you have not read it`,
    );
  });

  it("does not blame a sibling for what something else did later", async () => {
    const { first, second, path } = await makeSiblings();
    await call(writeTool, { file_path: path, content: "second's" }, second);
    await call(readTool, { file_path: path }, first);
    await writeFile(path, "an editor's");
    const message = await failureOf(call(writeTool, { file_path: path, content: "x" }, first));
    expect(message).toContain(`${path} was changed after you read it`);
  });

  it("does not call an agent its own sibling", async () => {
    const { first, path } = await makeSiblings();
    await call(writeTool, { file_path: path, content: "mine" }, first);
    first.workbench.files.clear();
    const message = await failureOf(call(writeTool, { file_path: path, content: "x" }, first));
    expect(message).toBe(`${path} exists and you have not read it. Read it first.`);
  });

  it("lets only one of two siblings that write at the same time win", async () => {
    const { first, second, path } = await makeSiblings();
    await writeFile(path, "old");
    await call(readTool, { file_path: path }, first);
    await call(readTool, { file_path: path }, second);
    const [winner, loser] = await Promise.allSettled([
      call(writeTool, { file_path: path, content: "first's" }, first),
      call(writeTool, { file_path: path, content: "second's" }, second),
    ]);
    expect(winner.status).toBe("fulfilled");
    expect(loser).toMatchObject({
      status: "rejected",
      reason: { message: expect.stringContaining(first.agentId) as string },
    });
    expect(await readFile(path, "utf8")).toBe("first's");
  });

  it("counts as having read what it wrote", async () => {
    const context = await makeContext();
    await call(writeTool, { file_path: "a.txt", content: "one" }, context);
    await call(writeTool, { file_path: "a.txt", content: "two" }, context);
    expect(await readFile(join(context.workbench.cwd, "a.txt"), "utf8")).toBe("two");
  });

  it("keeps line endings, byte order mark and mode of the file", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "run.bat");
    await writeFile(path, "\uFEFFone\r\ntwo\r\n");
    await chmod(path, 0o755);
    await call(readTool, { file_path: path }, context);
    const output = await call(writeTool, { file_path: path, content: "one\n2\n" }, context);
    expect(await readFile(path, "utf8")).toBe("\uFEFFone\r\n2\r\n");
    expect(output.data).toMatchObject({
      structuredPatch: [{ lines: [" \uFEFFone", "-two", "+2"] }],
    });
    expect((await stat(path)).mode & 0o777).toBe(0o755);
  });

  it("writes the target of a symlink, known by either name", async () => {
    const context = await makeContext();
    const path = join(context.workbench.cwd, "target.txt");
    const link = join(context.workbench.cwd, "link.txt");
    await writeFile(path, "old");
    await symlink("target.txt", link);
    await call(readTool, { file_path: path }, context);
    await call(writeTool, { file_path: link, content: "new" }, context);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(path, "utf8")).toBe("new");
    await call(writeTool, { file_path: path, content: "newer" }, context);
    expect(await readFile(link, "utf8")).toBe("newer");
  });

  it("leaves a large old text out of the structured result", async () => {
    const context = await makeContext();
    const content = "x\n".repeat(200 * 1024);
    await call(writeTool, { file_path: "a.txt", content }, context);
    const output = await call(writeTool, { file_path: "a.txt", content: `${content}y\n` }, context);
    expect(output.data).toMatchObject({ type: "update", originalFile: null });
  });

  it("answers a directory, a device and a path through a file with a failure", async () => {
    const context = await makeContext();
    await writeFile(join(context.workbench.cwd, "file"), "");
    const write = (path: string) =>
      failureOf(call(writeTool, { file_path: path, content: "x" }, context));
    expect(await write(".")).toContain("is a directory");
    expect(await write("/dev/null")).toContain("device");
    expect(await write("file/x")).toContain("not a directory");
    expect((await lstat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  it("writes nothing when it was aborted", async () => {
    const reason = new Error("stopped");
    const context = await makeContext({ signal: AbortSignal.abort(reason) });
    await expect(call(writeTool, { file_path: "a", content: "x" }, context)).rejects.toBe(reason);
    expect(await readdir(context.workbench.cwd)).toEqual([]);
  });

  it("costs little of a request", () => {
    expect(JSON.stringify(toolSpec(writeTool)).length).toBeLessThanOrEqual(700);
  });
});

async function makeSiblings() {
  const [root, ledger] = [temporaryDirectory(), new FileLedger()];
  return {
    path: join(root, "shared.txt"),
    first: await makeContext({ root, ledger }),
    second: await makeContext({ root, ledger, agentType: "fixer" }),
    third: await makeContext({ root, ledger }),
  };
}

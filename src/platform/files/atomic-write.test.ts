import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { writeFileAtomic } from "./atomic-write.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

describe("writeFileAtomic", () => {
  let directory: string;
  const isRoot = process.getuid?.() === 0;

  beforeEach(async () => {
    directory = temporaryDirectory();
  });

  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o7777;

  it("creates a file and the directories above it", async () => {
    const path = join(directory, "a/b/new.txt");
    await writeFileAtomic(path, "content");
    expect(await readFile(path, "utf8")).toBe("content");
    expect(await readdir(join(directory, "a/b"))).toEqual(["new.txt"]);
  });

  it("writes bytes as they are", async () => {
    const path = join(directory, "bytes");
    await writeFileAtomic(path, new Uint8Array([0, 255, 10]));
    expect([...(await readFile(path))]).toEqual([0, 255, 10]);
  });

  it("keeps the mode of an existing file, whatever the umask", async () => {
    const path = join(directory, "script.sh");
    await writeFile(path, "old");
    await chmod(path, 0o776);
    await writeFileAtomic(path, "new");
    expect(await modeOf(path)).toBe(0o776);
  });

  it("gives the mode that it was asked for, also to an existing file", async () => {
    const path = join(directory, "secret");
    await writeFileAtomic(path, "new", { mode: 0o600 });
    expect(await modeOf(path)).toBe(0o600);
    await chmod(path, 0o644);
    await writeFileAtomic(path, "newer", { mode: 0o600 });
    expect(await modeOf(path)).toBe(0o600);
  });

  it("replaces the target of a symlink and leaves the link", async () => {
    await mkdir(join(directory, "real"));
    await writeFile(join(directory, "real/target.txt"), "old");
    const link = join(directory, "link.txt");
    await symlink("real/target.txt", link);
    await writeFileAtomic(link, "new");
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(join(directory, "real/target.txt"), "utf8")).toBe("new");
    expect(await readdir(directory)).toEqual(["link.txt", "real"]);
  });

  it("creates the target of a dangling symlink", async () => {
    const link = join(directory, "link.txt");
    await symlink("later.txt", link);
    await writeFileAtomic(link, "new");
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(join(directory, "later.txt"), "utf8")).toBe("new");
  });

  it("fails on symlinks that form a cycle and leaves them", async () => {
    const link = join(directory, "a");
    await symlink("b", link);
    await symlink("a", join(directory, "b"));
    await expect(writeFileAtomic(link, "new")).rejects.toMatchObject({ code: "ELOOP" });
    expect(await readdir(directory)).toEqual(["a", "b"]);
  });

  it("leaves no temporary file behind when writing fails", async () => {
    async function* brokenSource(): AsyncGenerator<string> {
      yield "first part";
      expect(await readdir(directory)).toHaveLength(1);
      throw new Error("broken source");
    }
    const data = brokenSource() as unknown as string;
    await expect(writeFileAtomic(join(directory, "file"), data)).rejects.toThrow("broken source");
    await expect(writeFileAtomic(join(directory, "x".repeat(300)), "new")).rejects.toThrow(
      "ENAMETOOLONG",
    );
    expect(await readdir(directory)).toEqual([]);
  });

  it("writes a file whose name has the greatest possible length", async () => {
    const name = "x".repeat(255);
    await writeFileAtomic(join(directory, name), "new");
    expect(await readdir(directory)).toEqual([name]);
  });

  it("does not put a plain file in the place of a pipe or a directory", async () => {
    const pipe = join(directory, "pipe");
    execFileSync("mkfifo", [pipe]);
    await expect(writeFileAtomic(pipe, "new")).rejects.toThrow("not a regular file");
    await expect(writeFileAtomic(directory, "new")).rejects.toThrow("not a regular file");
    expect((await lstat(pipe)).isFIFO()).toBe(true);
    expect(await readdir(directory)).toEqual(["pipe"]);
  });

  it.skipIf(isRoot)("does not overwrite a read-only file", async () => {
    const path = join(directory, "file");
    await writeFile(path, "old", { mode: 0o444 });
    await expect(writeFileAtomic(path, "new")).rejects.toMatchObject({ code: "EACCES" });
    expect(await readFile(path, "utf8")).toBe("old");
  });

  it.runIf(isRoot)("leaves a file with its owner when root writes it", async () => {
    const path = join(directory, "file");
    await writeFile(path, "old");
    execFileSync("chown", ["1234:1234", path]);
    await chmod(path, 0o4755);
    await writeFileAtomic(path, "new");
    expect(await stat(path)).toMatchObject({ uid: 1234, gid: 1234 });
    expect(await modeOf(path)).toBe(0o4755);
  });

  it("lets a reader see the old content or the new, never a part", async () => {
    const path = join(directory, "file");
    const contents = ["a".repeat(500_000), "b".repeat(500_000)];
    await writeFile(path, contents[0] ?? "");
    const seen = new Set<string>();
    const write = async (): Promise<void> => {
      for (let round = 1; round <= 20; round++) {
        await writeFileAtomic(path, contents[round % 2] ?? "");
      }
    };
    const read = async (): Promise<void> => {
      for (let round = 1; round <= 100; round++) seen.add(await readFile(path, "utf8"));
    };
    await Promise.all([write(), read()]);
    expect([...seen].sort()).toEqual(contents);
  });
});

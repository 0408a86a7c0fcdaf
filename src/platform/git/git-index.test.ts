import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { temporaryDirectory, writeFiles } from "../../../test/support/stage.ts";
import { trackedPaths } from "./git-index.ts";

const emptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
const variables = [
  "GIT_DIR",
  "GIT_INDEX_FILE",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_OBJECT_DIRECTORY",
];
const files = { "a.txt": "a", "deep/er/b.txt": "b", "deep/er/c.txt": "c", "ü/\uFEFFd e.txt": "d" };

beforeEach(() => {
  for (const name of variables) vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

function git(root: string, args: readonly string[], input: string | Buffer = ""): string {
  const person = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always"];
  return execFileSync("git", [...person, ...args], {
    cwd: root,
    input,
    stdio: ["pipe", "pipe", "ignore"],
    maxBuffer: 256 * 1024 * 1024,
  }).toString();
}

/** A repository whose files are all in the index. */
function repository(...options: string[]): string {
  const root = temporaryDirectory();
  git(root, ["init", "-q", ...options]);
  writeFiles(root, files);
  git(root, ["add", "."]);
  return root;
}

/** Puts names into the index that no file system need have. */
function track(root: string, names: readonly (string | Buffer)[], mode = "100644"): void {
  const lines = names.map((name) =>
    Buffer.concat([Buffer.from(`${mode} ${emptyBlob} 0\t`), Buffer.from(name), Buffer.from([0])]),
  );
  git(root, ["update-index", "-z", "--index-info"], Buffer.concat(lines));
}

/** Asserts that git names the same paths, and returns how many. */
function agreed(root: string, folder: string = root): number {
  const listed = git(root, ["ls-files", "-z", "--deduplicate"]).split("\0").slice(0, -1);
  expect(trackedPaths(folder)).toEqual({ root, paths: listed });
  return listed.length;
}

const indexOf = (root: string): string => join(root, ".git/index");
const versionOf = (root: string): number => readFileSync(indexOf(root)).readUInt32BE(4);

/** Changes the index and signs it again, so that only the change itself can be noticed. */
function forge(root: string, change: (body: Buffer) => Buffer): void {
  const body = change(readFileSync(indexOf(root)).subarray(0, -20));
  const checksum = createHash("sha1").update(body).digest();
  writeFileSync(indexOf(root), Buffer.concat([body, checksum]));
}

describe("the tracked paths are those that git lists", () => {
  test("in version 2, without files that were never added", () => {
    const root = repository();
    writeFiles(root, { "untracked.txt": "u" });
    expect(agreed(root)).toBe(4);
    expect(versionOf(root)).toBe(2);
  });

  test("in version 3, with a file that is only meant to be added", () => {
    const root = repository();
    writeFiles(root, { "b-later.txt": "l" });
    git(root, ["add", "-N", "b-later.txt"]);
    expect(agreed(root)).toBe(5);
    expect(versionOf(root)).toBe(3);
  });

  test.each([0, 1, 127, 128, 129, 300, 16_511, 16_512, 16_513])(
    "in version 4, where a name drops %d bytes of the one before",
    (length) => {
      const root = repository();
      git(root, ["update-index", "--index-version", "4"]);
      track(root, [`m/${"x/".repeat(Math.floor(length / 2))}${"y".repeat(length % 2)}z`, "m0"]);
      writeFiles(root, { "n-later.txt": "l" });
      git(root, ["add", "-N", "n-later.txt"]);
      expect(agreed(root)).toBe(7);
      expect(versionOf(root)).toBe(4);
    },
  );

  const hasSha256 = execFileSync("git", ["version"]).toString() >= "git version 2.29";
  test.skipIf(!hasSha256).each(["2", "4"])(
    "in a repository with SHA-256 and version %s",
    (version) => {
      const root = repository("--object-format=sha256");
      git(root, ["update-index", "--index-version", version]);
      expect(agreed(root)).toBe(4);
    },
  );

  test.each(["2", "4"])("with names of more than 4095 bytes, in version %s", (version) => {
    const root = repository();
    git(root, ["update-index", "--index-version", version]);
    track(
      root,
      [4093, 4094, 4095, 4096, 4097, 5000].map(
        (size) => "long/".repeat(1000).slice(0, size - 1) + "z",
      ),
    );
    expect(agreed(root)).toBe(10);
  });

  test.each(["2", "4"])(
    "with 20,000 entries in blocks for several threads, in version %s",
    (version) => {
      const root = repository();
      git(root, ["config", "index.threads", "4"]);
      git(root, ["update-index", "--index-version", version]);
      track(
        root,
        Array.from({ length: 20_000 }, (_, at) => `many/${at % 100}/file-${at}.txt`),
      );
      expect(agreed(root)).toBe(20_004);
      expect(readFileSync(indexOf(root)).includes("IEOT")).toBe(true);
    },
  );

  test("from a folder below the root, and through a link to it", () => {
    const root = repository();
    expect(agreed(root, join(root, "deep/er"))).toBe(4);
    const link = join(temporaryDirectory(), "link");
    symlinkSync(join(root, "deep"), link);
    expect(agreed(root, link)).toBe(4);
  });

  test("in a linked work tree, which has an index of its own", () => {
    const main = repository();
    git(main, ["commit", "-qm", "first"]);
    const tree = join(temporaryDirectory(), "tree");
    git(main, ["worktree", "add", "-q", tree]);
    writeFiles(tree, { "only-here.txt": "o" });
    git(tree, ["add", "."]);
    expect(agreed(tree, join(tree, "deep"))).toBe(5);
    expect(agreed(main)).toBe(4);
  });

  test("in a conflict, each path once; with links; with a detached head", () => {
    const root = repository();
    symlinkSync("a.txt", join(root, "link"));
    git(root, ["add", "."]);
    git(root, ["commit", "-qm", "first"]);
    git(root, ["tag", "first"]);
    for (const name of ["one", "two"]) {
      git(root, ["checkout", "-q", "--detach", "first"]);
      writeFiles(root, { "a.txt": name });
      git(root, ["commit", "-qam", name]);
      git(root, ["tag", name]);
    }
    expect(() => git(root, ["merge", "one"])).toThrow("Command failed");
    expect(git(root, ["ls-files", "-u"]).split("\n")).toHaveLength(4);
    expect(agreed(root)).toBe(5);
  });

  test("in an index without a checksum", () => {
    const root = repository();
    const bytes = readFileSync(indexOf(root));
    writeFileSync(indexOf(root), bytes.fill(0, bytes.length - 20));
    expect(agreed(root)).toBe(4);
  });

  test("in a sparse checkout with a whole index", () => {
    const root = repository();
    git(root, ["commit", "-qm", "first"]);
    git(root, ["sparse-checkout", "set", "--no-sparse-index", "ü"]);
    expect(existsSync(join(root, "deep"))).toBe(false);
    expect(agreed(root)).toBe(4);
  });

  test("in a repository without an index: none", () => {
    const root = temporaryDirectory();
    git(root, ["init", "-q"]);
    expect(existsSync(indexOf(root))).toBe(false);
    expect(agreed(root)).toBe(0);
  });
});

describe("it cannot be told what git tracks", () => {
  const expectUntold = (root: string, change: (root: string) => void): void => {
    expect(agreed(root)).toBeGreaterThanOrEqual(4);
    change(root);
    expect(trackedPaths(root)).toBeNull();
  };

  test("where there is no repository, or no folder", () => {
    const root = temporaryDirectory();
    expect(trackedPaths(root)).toBeNull();
    expect(trackedPaths(join(root, "gone"))).toBeNull();
    expect(trackedPaths("/\0")).toBeNull();
  });

  test.each(variables)("where %s is set, even to nothing", (name) => {
    const root = repository();
    expect(agreed(root)).toBe(4);
    for (const value of ["", "/elsewhere"]) {
      vi.stubEnv(name, value);
      expect(trackedPaths(root)).toBeNull();
    }
  });

  test.each([
    "[core]\n\tworktree = /elsewhere\n",
    "[CORE]\n\tWorkTree=/elsewhere\n",
    "[core] worktree = /elsewhere\n",
    "[core]\n\tpager = \\\n[user]\n\tworktree = /elsewhere\n",
    "[core]\n\tbare = true\n",
    "[core]\n\tbare\n",
    "[include]\n\tpath = other\n",
    '[includeIf "gitdir:/"]\n\tpath = other\n',
    "[extensions]\n\tunheardOf = true\n",
    "[extensions]\n\tobjectFormat = sha512\n",
    "[extensions]\n\tobjectFormat = sha256\n",
    "no setting at all !\n",
  ])("where the configuration says %j", (text) => {
    expectUntold(repository(), (root) => appendFileSync(join(root, ".git/config"), text));
    expectUntold(repository(), (root) => writeFileSync(join(root, ".git/config.worktree"), text));
  });

  test("where the configuration is larger than 1 MiB", () => {
    const comment = `# ${"x".repeat(1024 * 1024)}\n`;
    expectUntold(repository(), (root) => appendFileSync(join(root, ".git/config"), comment));
  });

  test("where the index is split", () => {
    expectUntold(repository(), (root) => git(root, ["update-index", "--split-index"]));
  });

  test("where the index is sparse", () => {
    const root = repository();
    git(root, ["commit", "-qm", "first"]);
    expectUntold(root, () => git(root, ["sparse-checkout", "set", "--sparse-index", "ü"]));
    expect(readFileSync(indexOf(root)).includes("sdir")).toBe(true);
  });

  test("where there is a submodule, because git may show the files in it", () => {
    const inner = repository();
    git(inner, ["commit", "-qm", "first"]);
    const outer = repository();
    expectUntold(outer, () => git(outer, ["submodule", "add", "-q", inner, "module"]));
    // The `.git` of a submodule is a file, but no linked work tree.
    expect(git(join(outer, "module"), ["ls-files"])).not.toBe("");
    expect(trackedPaths(join(outer, "module"))).toBeNull();
  });

  test.each([
    ["is no UTF-8", Buffer.from([0x62, 0xff, 0x63])],
    ["is half a surrogate", Buffer.from([0x62, 0xed, 0xa0, 0x80])],
  ])("where one name %s", (_, name) => {
    expectUntold(repository(), (root) => track(root, [name]));
  });

  test.each(["../bc", "/b.tx", "b//cc", "b/./c", ".git/", ".GiT/", "bcde/"])(
    "where a name is %s",
    (name) => {
      const root = repository();
      track(root, ["b".repeat(name.length)]);
      expectUntold(root, () =>
        forge(root, (body) => {
          body.write(name, body.indexOf("b".repeat(name.length)));
          return body;
        }),
      );
    },
  );

  test.each<[string, (body: Buffer) => Buffer]>([
    ["has another signature", (body) => Buffer.concat([Buffer.from("DIRD"), body.subarray(4)])],
    ["is of version 1", (body) => body.fill(1, 7, 8)],
    ["is of version 5", (body) => body.fill(5, 7, 8)],
    ["is of version 4, but written as 2", (body) => body.fill(4, 7, 8)],
    ["announces one entry more", (body) => body.fill(5, 11, 12)],
    ["announces one entry less", (body) => body.fill(3, 11, 12)],
    ["announces billions of entries", (body) => body.fill(0xff, 8, 12)],
    ["has another length of a name than its name", (body) => body.fill(4, 73, 74)],
    ["has a tree as an entry", (body) => body.fill(0x40, 38, 39)],
    ["has bytes after the extensions", (body) => Buffer.concat([body, Buffer.from("TREE")])],
    ["has an unknown mandatory extension", (body) => extended(body, "abcd", 4, 4)],
    ["has an extension that is longer than the file", (body) => extended(body, "ABCD", 5, 4)],
    ["sends git to extensions elsewhere", (body) => extended(body, "EOIE", 24, 24)],
    ["sends threads of git to entries elsewhere", (body) => extended(body, "IEOT", 12, 12)],
  ])("where the index %s", (_, change) => {
    expectUntold(repository(), (root) => forge(root, change));
  });

  test("where an entry of version 2 has flags of version 3", () => {
    const root = repository();
    writeFiles(root, { "b-later.txt": "l" });
    git(root, ["add", "-N", "b-later.txt"]);
    expectUntold(root, () => forge(root, (body) => body.fill(2, 7, 8)));
  });

  test("where a name of version 4 drops more than there was", () => {
    const root = repository();
    git(root, ["update-index", "--index-version", "4"]);
    expectUntold(root, () => forge(root, (body) => body.fill(1, 74, 75)));
  });

  test("but an unknown optional extension does not matter", () => {
    const root = repository();
    forge(root, (body) => extended(body, "ABCD", 4, 4));
    expect(agreed(root)).toBe(4);
  });

  test.each(["2", "4"])(
    "where the index ends early, wherever that is, in version %s",
    (version) => {
      const root = repository();
      git(root, ["commit", "-qm", "first"]);
      git(root, ["update-index", "--index-version", version]);
      expect(agreed(root)).toBe(4);
      for (let size = readFileSync(indexOf(root)).length - 1; size >= 0; size -= 1) {
        truncateSync(indexOf(root), size);
        expect(trackedPaths(root), `${size} bytes`).toBeNull();
      }
    },
  );

  test("where the index has other bytes than its checksum says", () => {
    expectUntold(repository(), (root) => {
      const bytes = readFileSync(indexOf(root));
      writeFileSync(
        indexOf(root),
        bytes.fill(0x62, bytes.indexOf("a.txt"), bytes.indexOf("a.txt") + 1),
      );
    });
  });

  test("where the index is larger than 8 MiB", () => {
    expectUntold(repository(), (root) =>
      forge(root, (body) => extended(body, "ABCD", 8 * 1024 * 1024, 8 * 1024 * 1024)),
    );
  });

  test("where a small index of version 4 holds more than 32 MiB of names", () => {
    const root = repository();
    git(root, ["update-index", "--index-version", "4"]);
    expectUntold(root, () => {
      const folder = "long/".repeat(4000);
      track(
        root,
        Array.from({ length: 1800 }, (_, at) => `${folder}${at}`),
      );
    });
    expect(readFileSync(indexOf(root)).length).toBeLessThan(1024 * 1024);
  });

  test("where the index is a pipe or a directory", () => {
    for (const make of ["mkfifo", "mkdir"])
      expectUntold(repository(), (root) => {
        rmSync(indexOf(root));
        execFileSync(make, [indexOf(root)]);
      });
  });

  test("in a bare repository, also below another one, and in `.git` itself", () => {
    const root = repository();
    git(root, ["init", "-q", "--bare", "bare"]);
    expect(agreed(root)).toBe(4);
    expect(trackedPaths(join(root, "bare"))).toBeNull();
    expect(trackedPaths(join(root, "bare/refs"))).toBeNull();
    expect(trackedPaths(join(root, ".git"))).toBeNull();
    expect(trackedPaths(join(root, ".git/refs"))).toBeNull();
  });

  test.each(["HEAD", "objects", "refs"])(
    "where `.git` lacks %s, so that git takes the repository above",
    (name) => {
      const root = repository();
      const nested = join(root, "nested");
      git(root, ["init", "-q", nested]);
      expect(agreed(nested)).toBe(0);
      rmSync(join(nested, ".git", name), { recursive: true });
      expect(git(nested, ["rev-parse", "--show-toplevel"])).toBe(`${root}\n`);
      expect(trackedPaths(nested)).toBeNull();
    },
  );

  test("where git does not take the head for one", () => {
    expectUntold(repository(), (root) => writeFileSync(join(root, ".git/HEAD"), "main\n"));
    expectUntold(repository(), (root) => {
      renameSync(join(root, ".git/HEAD"), join(root, ".git/head"));
      symlinkSync("head", join(root, ".git/HEAD"));
      expect(() => git(root, ["status"])).toThrow("Command failed");
    });
  });

  test("where `.git` leads elsewhere: a link, a file, another common directory", () => {
    const elsewhere = (root: string): string => {
      const place = join(temporaryDirectory(), "place");
      renameSync(join(root, ".git"), place);
      return place;
    };
    expectUntold(repository(), (root) => symlinkSync(elsewhere(root), join(root, ".git")));
    expectUntold(repository(), (root) =>
      writeFileSync(join(root, ".git"), `gitdir: ${elsewhere(root)}\n`),
    );
    expectUntold(repository(), (root) => writeFileSync(join(root, ".git/commondir"), ".\n"));
    expectUntold(repository(), (root) => {
      rmSync(join(root, ".git"), { recursive: true });
      mkdirSync(join(root, ".git"));
    });
  });

  test("in a linked work tree that its repository does not know", () => {
    const main = repository();
    git(main, ["commit", "-qm", "first"]);
    const tree = join(temporaryDirectory(), "tree");
    git(main, ["worktree", "add", "-q", tree]);
    expectUntold(tree, () =>
      writeFileSync(join(main, ".git/worktrees/tree/gitdir"), "/other/.git\n"),
    );
  });
});

/** The same bytes with one extension more, which says that it has `claimed` bytes. */
function extended(body: Buffer, name: string, claimed: number, size: number): Buffer {
  const header = Buffer.alloc(8);
  header.write(name, "latin1");
  header.writeUInt32BE(claimed, 4);
  return Buffer.concat([body, header, Buffer.alloc(size, 1)]);
}

import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { DiskSync } from "./disk-sync.ts";
import { JsonlWriter } from "./lines/jsonl.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

interface Script {
  file?: (path: string) => Promise<void> | void;
  directory?: (path: string) => Promise<void> | void;
}

/** A disk that writes down what it is asked to sync, and answers as it is told. */
function scripted({ file, directory }: Script = {}): { disk: DiskSync; log: string[] } {
  const log: string[] = [];
  const disk = new DiskSync(async (path) => ({
    async datasync() {
      log.push(`file ${path}`);
      await file?.(path);
    },
    async sync() {
      log.push(`directory ${path}`);
      await directory?.(path);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));
  return { disk, log };
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: it failed`), { code });
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}

test("one pass runs at a time, and all that come during it share the next one", async () => {
  const answers: (() => void)[] = [];
  const { disk, log } = scripted({ file: () => new Promise((done) => answers.push(done)) });
  const told: string[] = [];
  const sync = (path: string): void => void disk.sync(path).then(() => told.push(path));
  sync("/d/first");
  await turns(2);
  for (let n = 0; n < 30; n += 1) sync(`/d/${n}`);
  // The first file changes again: a sync that has begun may not have seen it.
  sync("/d/first");
  await turns(5);
  expect({ log, told }).toEqual({ log: ["file /d/first"], told: [] });
  answers.splice(0).forEach((done) => done());
  await turns(5);
  expect(told).toEqual(["/d/first"]);
  expect(log.slice(1, 4)).toEqual(["directory /d", "directory /", "directory /"]);
  expect(log.slice(4).toSorted()).toEqual(
    [...Array.from({ length: 30 }, (_, n) => `file /d/${n}`), "file /d/first"].toSorted(),
  );
  answers.splice(0).forEach((done) => done());
  await turns(5);
  expect(told).toHaveLength(32);
  expect(log.slice(35)).toEqual(["directory /d"]);
});

test("100 appends at the same time need one pass, and each is told after the sync of its file and of its name", async () => {
  const root = temporaryDirectory();
  const { disk, log } = scripted();
  const isSynced: boolean[] = [];
  await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const writer = new JsonlWriter(join(root, `${n % 50}.jsonl`));
      writer.append([JSON.stringify({ n })]);
      writer.close();
      await disk.sync(writer.path);
      isSynced.push(
        log.includes(`file ${writer.path}`) &&
          log.indexOf(`directory ${root}`) > log.indexOf(`file ${writer.path}`),
      );
    }),
  );
  expect(isSynced).toEqual(Array.from({ length: 100 }, () => true));
  expect(log.filter((line) => line.startsWith("file "))).toHaveLength(50);
  expect(log.filter((line) => line === `directory ${root}`)).toHaveLength(1);
});

test("a failed sync is told to all who waited for that file, and to nobody else", async () => {
  const { disk } = scripted({
    file: (path) => {
      if (path === "/d/bad") throw failure("EIO");
    },
  });
  const outcomes = await Promise.allSettled(
    ["/d/a", "/d/bad", "/d/b", "/d/bad"].map((path) => disk.sync(path)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "rejected",
  ]);
});

test("after a failed sync nothing more is promised of that file, whatever a second one would say", async () => {
  let syncs = 0;
  const { disk } = scripted({
    file: () => {
      syncs += 1;
      if (syncs === 1) throw failure("EIO");
    },
  });
  await expect(disk.sync("/d/a")).rejects.toThrow("EIO");
  await expect(disk.sync("/d/a")).rejects.toThrow("EIO");
  expect(syncs).toBe(1);
  await disk.sync("/d/b");
});

test("a file that is gone, or that is a link, is a failure", async () => {
  const root = temporaryDirectory();
  const disk = new DiskSync();
  await expect(disk.sync(join(root, "gone"))).rejects.toMatchObject({ code: "ENOENT" });
  writeFileSync(join(root, "there"), "x");
  symlinkSync("there", join(root, "link"));
  await expect(disk.sync(join(root, "link"))).rejects.toMatchObject({ code: "ELOOP" });
});

test("a new file takes the place of the older one after its bytes are synced and before its directory is", async () => {
  const root = temporaryDirectory();
  const [path, draft] = [join(root, "a"), join(root, "a.new")];
  const seen: string[] = [];
  const look = (): void => void seen.push(readFileSync(path, "utf8"));
  const { disk } = scripted({
    file: look,
    directory: (path) => (path === root ? look() : undefined),
  });
  writeFileSync(path, "old");
  writeFileSync(draft, "new");
  await disk.replace(path, draft);
  expect(seen).toEqual(["old", "new"]);
  expect(readdirSync(root)).toEqual(["a"]);
});

test("a new file whose bytes cannot be synced does not take the older one's place; the next one may", async () => {
  const root = temporaryDirectory();
  const [path, draft] = [join(root, "a"), join(root, "a.new")];
  let isBroken = true;
  const { disk } = scripted({
    file: () => {
      if (isBroken) throw failure("EIO");
    },
  });
  writeFileSync(path, "old");
  writeFileSync(draft, "new");
  await expect(disk.replace(path, draft)).rejects.toThrow("EIO");
  expect(readFileSync(path, "utf8")).toBe("old");
  isBroken = false;
  await disk.replace(path, draft);
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(existsSync(draft)).toBe(false);
});

test("directories above are synced once, and again when one is new", async () => {
  const { disk, log } = scripted();
  await disk.sync("/a/b/one");
  await disk.sync("/a/b/two");
  await disk.sync("/a/b/c/three");
  expect(log).toEqual([
    ...["file /a/b/one", "directory /a/b", "directory /a", "directory /", "directory /"],
    ...["file /a/b/two", "directory /a/b"],
    ...["file /a/b/c/three", "directory /a/b/c", "directory /a/b"],
  ]);
});

test("names that were removed are synced without a file", async () => {
  const { disk, log } = scripted();
  await disk.sync("/d/a");
  await disk.syncNames("/d");
  expect(log.at(-1)).toBe("directory /d");
  expect(log.filter((line) => line.startsWith("file"))).toHaveLength(1);
});

test.each([
  ["EINVAL", true],
  ["EACCES", true],
  ["EIO", false],
])("a directory whose sync says %s: the promise holds is %s", async (code, holds) => {
  const { disk } = scripted({
    directory: () => {
      throw failure(code);
    },
  });
  const outcome = await disk.sync("/d/a").then(
    () => true,
    () => false,
  );
  expect(outcome).toBe(holds);
});

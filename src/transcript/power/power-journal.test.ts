import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { setImmediate } from "node:timers/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keepAway } from "./journal-removals.ts";
import { JsonlWriter, readJsonl } from "../lines/jsonl.ts";
import { PowerJournal } from "./power-journal.ts";
import { replayJournal } from "./replay-journal.ts";

interface Place {
  root: string;
  path: string;
  journal: PowerJournal;
  open: (name: string) => JsonlWriter;
}

interface Options {
  largest?: number;
  sync?: (file: number) => Promise<void>;
  syncNow?: (file: number) => void;
}

function place(options: Options = {}): Place {
  const root = mkdtempSync(join(tmpdir(), "retinue-power-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const path = join(root, "session", "journal.log");
  const journal = new PowerJournal({ path, root, ...options });
  const open = (name: string): JsonlWriter => {
    const writer = new JsonlWriter(join(root, name), {
      appended: (file, at, bytes) => journal.note(file, at, bytes),
    });
    onTestFinished(() => writer.close());
    return writer;
  };
  return { root, path, journal, open };
}

function line(n: number): string {
  return JSON.stringify({ n });
}

async function numbersIn(path: string): Promise<unknown[]> {
  return (await readJsonl(path)).map(({ n }) => n);
}

test("one sync serves everything that came in while the last one ran", async () => {
  /** A disk that answers when it is told to. */
  const answers: (() => void)[] = [];
  const { journal, open } = place({ sync: () => new Promise((done) => answers.push(done)) });
  const order: string[] = [];
  const write = (name: string): void => {
    open(name).append([line(1)]);
    void journal.commit().then(() => order.push(name));
  };
  write("first");
  await setImmediate();
  for (let n = 0; n < 500; n += 1) write(`later ${n}`);
  await setImmediate();
  expect({ syncs: answers.length, order }).toEqual({ syncs: 1, order: [] });
  answers[0]?.();
  await setImmediate();
  expect({ syncs: answers.length, order }).toEqual({ syncs: 2, order: ["first"] });
  answers[1]?.();
  await setImmediate();
  expect({ syncs: answers.length, acknowledged: order.length }).toEqual({
    syncs: 2,
    acknowledged: 501,
  });
});

test.each([
  ["a part of it", (file: string) => truncateSync(file, 60)],
  ["all of it", (file: string) => truncateSync(file, 0)],
  ["the file itself", (file: string) => rmSync(file)],
  ["its bytes, not its length", (file: string) => writeFileSync(file, Buffer.alloc(200))],
])("what a power cut took from a file comes back: %s", async (_name, cut) => {
  const { root, path, journal, open } = place();
  const writer = open("a.jsonl");
  const untouched = open("b.jsonl");
  for (const n of [1, 2, 3]) writer.append([line(n), line(n * 10)]);
  untouched.append([line(9)]);
  await journal.commit();
  const before = readFileSync(writer.path);
  cut(writer.path);
  expect(replayJournal({ path, root })).toEqual([writer.path]);
  expect(readFileSync(writer.path).subarray(0, before.length)).toEqual(before);
  expect(await numbersIn(writer.path)).toEqual([1, 10, 2, 20, 3, 30]);
  expect(await numbersIn(untouched.path)).toEqual([9]);
  expect(statSync(writer.path).mode & 0o777).toBe(0o600);
  expect(existsSync(path)).toBe(false);
});

test("of a file that is replaced the last content that was committed comes back", async () => {
  const { root, path, journal } = place();
  const file = join(root, "meta.json");
  for (const content of ["running, and a long text", "ended"]) {
    journal.note(file, null, Buffer.from(content));
    const commit = journal.commit(() => writeFileSync(file, content));
    expect(existsSync(file) && readFileSync(file, "utf8") === content).toBe(false);
    await commit;
    expect(readFileSync(file, "utf8")).toBe(content);
  }
  writeFileSync(file, "running, and a long text");
  expect(replayJournal({ path, root })).toEqual([file]);
  expect(readFileSync(file, "utf8")).toBe("ended");
});

test("a record that is torn, and what comes after it, is not replayed; nor is one that leads out", async () => {
  const { root, path, journal, open } = place();
  const writer = open("a.jsonl");
  writer.append([line(1)]);
  await journal.commit();
  const whole = readFileSync(path);
  writer.append([line(2)]);
  await journal.commit();
  rmSync(writer.path);
  truncateSync(path, whole.length + 50);
  replayJournal({ path, root });
  expect(await numbersIn(writer.path)).toEqual([1]);

  const inside = join(root, "inside");
  mkdirSync(inside);
  writeFileSync(path, whole.toString("utf8").replace("a.jsonl", "../a.jsonl"));
  rmSync(writer.path);
  expect(replayJournal({ path, root: inside })).toEqual([]);
  expect(existsSync(writer.path)).toBe(false);
});

test("at its limit the files are synced and the journal starts again; nothing is lost in between", async () => {
  const { root, path, journal, open } = place({ largest: 20_000 });
  const writers = ["a", "b", "c"].map((name) => open(`${name}.jsonl`));
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  for (const n of numbers) {
    for (const writer of writers) writer.append([line(n)]);
    await journal.commit();
  }
  expect(journal.counts.checkpoints).toBeGreaterThan(1);
  expect(statSync(path).size).toBeLessThan(25_000);
  const [first] = writers;
  appendFileSync(first?.path ?? "", '{"torn');
  replayJournal({ path, root });
  for (const writer of writers) expect(await numbersIn(writer.path)).toEqual(numbers);
});

test("when it is closed nothing is left to replay", async () => {
  const { path, journal, open } = place();
  open("a.jsonl").append([line(1)]);
  await journal.commit();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await journal.close();
  expect(existsSync(path)).toBe(false);
  expect(journal.counts).toEqual({ records: 1, syncs: 1, checkpoints: 1 });
});

test("after a sync that failed nothing more is promised, and files that are replaced are written all the same", async () => {
  let syncs = 0;
  const { root, journal } = place({
    sync: async () => {
      syncs += 1;
      throw new Error("EIO: i/o error, fdatasync");
    },
  });
  const file = join(root, "meta.json");
  for (const content of ["one", "two"]) {
    journal.note(file, null, Buffer.from(content));
    const commit = journal.commit(() => writeFileSync(file, content));
    await expect(commit).rejects.toThrow("EIO");
    expect(readFileSync(file, "utf8")).toBe(content);
  }
  expect(syncs).toBe(1);
  expect(() => journal.commitNow()).toThrow("EIO");
  await expect(journal.close()).rejects.toThrow("EIO");
});

test("what cannot wait is committed at once, with everything that was waiting", async () => {
  const { root, path, journal, open } = place({ sync: () => new Promise(() => undefined) });
  const writer = open("a.jsonl");
  writer.append([line(1)]);
  const waiting = journal.commit();
  journal.note(join(root, "meta.json"), null, Buffer.from("ended"));
  journal.commitNow();
  await waiting;
  rmSync(writer.path);
  expect(replayJournal({ path, root })).toEqual([writer.path, join(root, "meta.json")]);
});

test("what cannot wait is written after what came before it, whose sync still runs", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { root, journal } = place({ sync: () => promise });
  const file = join(root, "meta.json");
  const write = (content: string) => () => writeFileSync(file, content);
  const older = journal.commit(write("running"));
  await setImmediate();
  await setImmediate();
  journal.commitNow(write("ended"));
  resolve();
  await older;
  expect(readFileSync(file, "utf8")).toBe("ended");
});

test("after a sync at once that failed nothing more is promised", async () => {
  let syncs = 0;
  const { journal, open } = place({
    syncNow: () => {
      syncs += 1;
      throw new Error("EIO: i/o error, fdatasync");
    },
  });
  open("a.jsonl").append([line(1)]);
  expect(() => journal.commitNow()).toThrow("EIO");
  await expect(journal.commit()).rejects.toThrow("EIO");
  expect(syncs).toBe(1);
});

test("a file that was removed does not come back; what was written to its name since does", async () => {
  const { root, path, journal, open } = place();
  const [gone, again, elsewhere] = ["gone", "again", "elsewhere"].map((name) => open(name));
  for (const writer of [gone, again, elsewhere]) writer?.append([line(1), line(2)]);
  await journal.commit();
  for (const name of ["gone", "again"]) journal.noteRemoval(join(root, name));
  keepAway({ path, root }, [join(root, "elsewhere")]);
  for (const name of ["again", "elsewhere"]) rmSync(join(root, name));
  open("again").append([line(3)]);
  await journal.commit();
  rmSync(join(root, "again"));
  expect(replayJournal({ path, root })).toEqual([join(root, "again")]);
  expect(await numbersIn(join(root, "again"))).toEqual([3]);
  expect(readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted()).toEqual([
    "again",
    "session",
  ]);
});

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { removeIfLeft, withFileLock } from "./file-lock.ts";
import { ownProcess } from "../../processes/process-identity.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

let directory: string;
let file: string;
let lockDir: string;
let lock: string;

beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory, "count");
  lockDir = join(directory, "locks");
  mkdirSync(lockDir);
  const name = createHash("sha256").update(file).digest("hex").slice(0, 32);
  lock = join(lockDir, `${name}.lock`);
  writeFileSync(file, "0");
});

const dead = "4194305 1 left";

async function increase(): Promise<void> {
  await withFileLock({ file, lockDir }, async () => {
    const count = Number(readFileSync(file, "utf8"));
    await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(file, String(count + 1));
  });
}

/** A process that adds one whenever it is told to, and says so. */
function counter() {
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { readFileSync, writeFileSync } from "node:fs";
       import { createInterface } from "node:readline";
       import { setTimeout } from "node:timers/promises";
       import { removeIfLeft, withFileLock } from ${JSON.stringify(new URL("./file-lock.ts", import.meta.url).href)};
       const [file, lockDir] = ${JSON.stringify([file, lockDir])};
       console.log("ready");
       for await (const _ of createInterface({ input: process.stdin })) {
         await withFileLock({ file, lockDir }, async () => {
           const count = Number(readFileSync(file, "utf8"));
           await setTimeout(1);
           writeFileSync(file, String(count + 1));
         });
         console.log("done");
       }`,
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  return {
    said: () => once(child.stdout, "data"),
    add: () => child.stdin.write("\n"),
    end: () => {
      child.stdin.end();
      return once(child, "exit");
    },
  };
}

test("of many processes that find the lock of a dead one, none undoes what another does", async () => {
  const rounds = 40;
  const counters = Array.from({ length: 6 }, counter);
  await Promise.all(counters.map(({ said }) => said()));
  for (let round = 0; round < rounds; round += 1) {
    writeFileSync(lock, `${dead}${round}`);
    const done = counters.map(({ said }) => said());
    for (const { add } of counters) add();
    await Promise.all(done);
  }
  await Promise.all(counters.map(({ end }) => end()));
  expect(readFileSync(file, "utf8")).toBe(String(6 * rounds));
  expect(readdirSync(lockDir)).toEqual([]);
}, 60_000);

test.each([
  ["of a process that is gone", dead],
  ["of an earlier process with the same number", `${process.pid} 1 left`],
  ["that a crash left empty", ""],
  ["that says nothing of use", "?"],
])("a lock %s is taken over", async (_, text) => {
  writeFileSync(lock, text);
  utimesSync(lock, 1, 1);
  await increase();
  expect(readFileSync(file, "utf8")).toBe("1");
  expect(readdirSync(lockDir)).toEqual([]);
});

test("a lock of another pid namespace is left alone until it has been silent for long", () => {
  const place = { host: "h", pidNamespace: "pid:[1]", bootId: "b" };
  const mark = `${process.pid} 1 uuid ${JSON.stringify(place)}`;
  writeFileSync(lock, mark);
  expect(removeIfLeft(lock)).toBe(false);
  expect(readFileSync(lock, "utf8")).toBe(mark);
  utimesSync(lock, 1, 1);
  expect(removeIfLeft(lock)).toBe(true);
  expect(readdirSync(lockDir)).toEqual([]);
});

test("a lock says where the process is that has it", async () => {
  await withFileLock({ file, lockDir }, () => {
    const { pid, pidStart, ...place } = ownProcess();
    const text = readFileSync(lock, "utf8");
    expect(text.startsWith(`${pid} ${pidStart} `)).toBe(true);
    expect(text).toContain(JSON.stringify(place));
    return Promise.resolve();
  });
});

test("a process that died while it removed a dead lock holds up nobody", async () => {
  writeFileSync(lock, dead);
  const which = createHash("sha256").update(dead).digest("hex").slice(0, 16);
  writeFileSync(`${lock}.${which}`, dead);
  await increase();
  expect(readFileSync(file, "utf8")).toBe("1");
  expect(readdirSync(lockDir)).toEqual([]);
});

test("a lock that was taken over is not released by the one that lost it", async () => {
  await withFileLock({ file, lockDir }, async () => {
    rmSync(lock);
    writeFileSync(lock, dead);
    return Promise.resolve();
  });
  expect(readFileSync(lock, "utf8")).toBe(dead);
});

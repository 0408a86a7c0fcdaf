import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../../test/support/stage.ts";
import { newSessionId } from "../../contract/ids.ts";
import { readLease, type Lease } from "./lease.ts";
import { sessionPaths, type SessionPaths } from "../paths.ts";
import { takeLease } from "./take-lease.ts";

const newPaths = (): SessionPaths => sessionPaths(temporaryDirectory(), newSessionId());
const read = ({ lease }: SessionPaths): Lease => JSON.parse(readFileSync(lease, "utf8")) as Lease;

/** Leaves the lease of somebody else, who differs from us in `changes`. */
function leave(paths: SessionPaths, changes: Partial<Lease>, silentFor = 0): void {
  const own = takeLease(paths);
  const lease = read(paths);
  own.release();
  mkdirSync(dirname(paths.lease), { recursive: true });
  writeFileSync(paths.lease, JSON.stringify({ ...lease, token: "theirs", ...changes }));
  const writtenAt = Date.now() / 1000 - silentFor;
  utimesSync(paths.lease, writtenAt, writtenAt);
}

test("a lease is private, names its process, and goes with the directory of a session in which nothing ran", () => {
  const paths = newPaths();
  const lease = takeLease(paths);
  expect(statSync(paths.lease).mode & 0o777).toBe(0o600);
  expect(read(paths)).toMatchObject({ pid: process.pid, socket: null, token: lease.token });
  expect(Buffer.from(lease.token, "base64url")).toHaveLength(32);
  lease.announce("/run/here.sock");
  expect(readLease(paths.lease)).toMatchObject({
    state: "held",
    lease: { socket: "/run/here.sock" },
  });
  lease.release();
  lease.release();
  expect(existsSync(dirname(paths.lease))).toBe(false);
});

test("a session of a living process is busy, and the error names the process and what to do", () => {
  const paths = newPaths();
  const lease = takeLease(paths);
  expect(() => takeLease(paths)).toThrow(
    expect.objectContaining({
      code: "session_busy",
      message: expect.stringMatching(
        new RegExp(`belongs to process ${process.pid}\\. .*retinue stop`),
      ) as string,
    }),
  );
  lease.release();
  takeLease(paths).release();
});

const gone = { pidStart: "1" };
const elsewhere = { host: "other", bootId: "another boot" };
const hour = 3_600_000;
test.each<[string, Partial<Lease>, number, boolean]>([
  ["whose process is gone", gone, 60, true],
  ["whose process is gone, though it said a moment ago that it is there", gone, 0, true],
  ["of a process that lives and has been silent for a day", {}, 86_400, false],
  ["of another machine that has just said that it is there", elsewhere, 0, false],
  ["of another machine that has been silent", elsewhere, 31, true],
  [
    "of another machine whose clock is slow, and that has just said that it is there",
    { ...elsewhere, beatAt: Date.now() - hour },
    0,
    false,
  ],
  [
    "of another machine whose clock is fast, and that has been silent",
    { ...elsewhere, beatAt: Date.now() + hour },
    31,
    true,
  ],
  [
    "of another pid namespace that has just said that it is there",
    { pidNamespace: "pid:[1]", pidStart: "1" },
    0,
    false,
  ],
  ["of another pid namespace that has been silent", { pidNamespace: "pid:[1]" }, 31, true],
])("a lease %s: %j, silent for %d s, can be taken: %j", (_, changes, silentFor, free) => {
  const paths = newPaths();
  leave(paths, changes, silentFor);
  if (!free)
    return expect(() => takeLease(paths)).toThrow(
      expect.objectContaining({ code: "session_busy" }),
    );
  takeLease(paths);
  expect(read(paths).pid).toBe(process.pid);
  expect(readdirSync(dirname(paths.lease))).toEqual(["lease.json"]);
});

test("a lease that a crash left half written is taken once it is old", () => {
  const paths = newPaths();
  mkdirSync(dirname(paths.lease), { recursive: true });
  writeFileSync(paths.lease, '{"pid": 1');
  expect(() => takeLease(paths)).toThrow(expect.objectContaining({ code: "session_busy" }));
  utimesSync(paths.lease, 1, 1);
  takeLease(paths);
  expect(read(paths).pid).toBe(process.pid);
});

test("an owner whose session was taken hears of it once, and leaves the lease of the other alone", () => {
  const paths = newPaths();
  const lease = takeLease(paths);
  const reasons: string[] = [];
  lease.onLost((reason) => reasons.push(reason));
  const other = { ...read(paths), token: "theirs" };
  writeFileSync(join(dirname(paths.lease), "new"), JSON.stringify(other));
  renameSync(join(dirname(paths.lease), "new"), paths.lease);
  lease.announce("/run/mine.sock");
  lease.announce(null);
  lease.release();
  expect(reasons).toEqual(["another process has taken over the session"]);
  expect(read(paths)).toEqual(other);
});

test("of many processes that find a lease whose owner is gone, one takes it", async () => {
  const rounds = Array.from({ length: 25 }, newPaths);
  const contenders = Array.from({ length: 8 }, () => contender(rounds.map(({ lease }) => lease)));
  onTestFinished(() => contenders.forEach(({ end }) => end()));
  await Promise.all(contenders.map(({ line }) => line()));
  for (const paths of rounds) {
    leave(paths, gone);
    const answers = await Promise.all(
      contenders.map(({ go, line }) => {
        go();
        return line();
      }),
    );
    const pids = answers.filter((answer) => answer !== "session_busy");
    expect(pids).toEqual([String(read(paths).pid)]);
    expect(readdirSync(dirname(paths.lease))).toEqual(["lease.json"]);
  }
});

interface Contender {
  go: () => void;
  line: () => Promise<string>;
  end: () => void;
}

/** A process that takes one lease after the other, each when it is told to, and says its pid or the code of the error. */
function contender(leases: string[]): Contender {
  const module = new URL("./take-lease.ts", import.meta.url).href;
  const program = `
    import { createInterface } from "node:readline";
    import { takeLease } from ${JSON.stringify(module)};
    const leases = ${JSON.stringify(leases)};
    console.log("ready");
    for await (const _ of createInterface({ input: process.stdin })) {
      try { takeLease({ lease: leases.shift() }); console.log(process.pid); } catch (error) { console.log(error.code); }
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = child.stdout.setEncoding("utf8");
  return {
    go: () => void child.stdin.write("\n"),
    line: async () => ((await once(lines, "data")) as [string])[0].trim(),
    end: () => void child.kill("SIGKILL"),
  };
}

import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDecided, PathChanged } from "./open-decided.ts";
import { realPath } from "./real-path.ts";
import { keepReplacing, keepSwapping, makeSwappable, tally } from "./swap-fixture.ts";

const flags = constants.O_RDONLY | constants.O_NONBLOCK;

function contentOf(path: string): string {
  const descriptor = openDecided(path, flags);
  try {
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

function openDescriptors(): number {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
}

describe("openDecided", () => {
  it.each(["plain.txt", "with\nnewline", "ends in (deleted)", "f (deleted)", "ünïcode \uFFFD 😀"])(
    "opens a file named %j",
    async (name) => {
      const { inside } = await makeSwappable([name]);
      expect(contentOf(realPath(join(inside, name)))).toBe("inside\n");
    },
  );

  it("does not follow a link that has taken the place of the file", async () => {
    const { inside, outside } = await makeSwappable(["f"]);
    const decided = realPath(join(inside, "f"));
    unlinkSync(decided);
    symlinkSync(join(outside, "f"), decided);
    expect(() => openDecided(decided, flags)).toThrow(
      `${decided} changed while it was being opened: it now leads to ${join(outside, "f")}. Try again.`,
    );
  });

  it("does not follow a link that has taken the place of a directory above it", async () => {
    const { inside, outside } = await makeSwappable(["f"]);
    const decided = realPath(join(inside, "f"));
    const before = openDescriptors();
    renameSync(inside, `${inside}-aside`);
    symlinkSync(outside, inside);
    expect(() => openDecided(decided, flags)).toThrow(PathChanged);
    expect(() => openDecided(decided, flags)).toThrow(`it now leads to ${join(outside, "f")}`);
    expect(openDescriptors()).toBe(before);
  });

  it("does not follow a link that has taken the place of a directory to be opened", async () => {
    const { inside, outside } = await makeSwappable([]);
    renameSync(inside, `${inside}-aside`);
    symlinkSync(outside, inside);
    expect(() => openDecided(inside, constants.O_DIRECTORY)).toThrow(`leads to ${outside}`);
  });

  it("says nothing of a change when links form a cycle, a file is in the way, or there is no file", async () => {
    const { inside } = await makeSwappable(["f"]);
    symlinkSync("b", join(inside, "a"));
    symlinkSync("a", join(inside, "b"));
    expect(() => openDecided(join(inside, "a"), flags)).toThrow("ELOOP");
    expect(() => openDecided(join(inside, "f/x"), flags)).toThrow("ENOTDIR");
    expect(() => openDecided(join(inside, "g"), flags)).toThrow("ENOENT");
  });

  it("does not wait for the other end of a pipe", async () => {
    const { inside } = await makeSwappable([]);
    execFileSync("mkfifo", [join(inside, "pipe")]);
    closeSync(openDecided(join(inside, "pipe"), flags));
  });

  it("opens a file that has a second name", async () => {
    const { inside, outside } = await makeSwappable(["f"]);
    linkSync(join(outside, "f"), join(inside, "hard"));
    expect(contentOf(join(inside, "hard"))).toBe("outside\n");
  });

  it.runIf(process.platform === "linux")("opens what has no place on a disk", () => {
    expect(contentOf(realPath(`/proc/${process.pid}/status`))).toContain(`Pid:\t${process.pid}`);
  });

  it.runIf(process.platform === "linux")("opens nothing through a link of a process", () => {
    const own = realPath("/proc/self/status");
    expect(() => openDecided(own, constants.O_RDONLY)).toThrow("Name the file by its own path.");
  });

  it("opens a file that is replaced all the time", async () => {
    const { inside } = await makeSwappable(["f"]);
    const file = join(inside, "f");
    await keepReplacing(file, "inside\n");
    expect(await tally(5_000, () => contentOf(file))).toMatchObject({ inside: 5_000 });
  });

  it("never opens the wrong file while a directory is swapped for a link, where a plain open does", async () => {
    const swapped = await makeSwappable(["f"]);
    const decided = realPath(join(swapped.inside, "f"));
    await keepSwapping(swapped);
    const naive = await tally(10_000, () => readFileSync(decided, "utf8"));
    const guarded = await tally(10_000, () => contentOf(decided));
    expect(naive.outside).toBeGreaterThan(0);
    expect(guarded.outside).toBe(0);
    expect(guarded.inside).toBeGreaterThan(0);
    expect(guarded.changed).toBeGreaterThan(0);
  });
});

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { holdDirectory } from "./hold-directory.ts";
import { PathChanged } from "./open-decided.ts";
import { makeSwappable } from "./swap-fixture.ts";

const hasDescriptorLinks = process.platform === "linux";

describe("holdDirectory", () => {
  it.runIf(hasDescriptorLinks)(
    "reaches the same directory when a link takes its place",
    async () => {
      const { inside, outside } = await makeSwappable([]);
      using held = holdDirectory(inside);
      renameSync(inside, `${inside}-aside`);
      symlinkSync(outside, inside);
      writeFileSync(held.at("new"), "");
      expect(readdirSync(outside)).toEqual([]);
      expect(readdirSync(`${inside}-aside`)).toEqual(["new"]);
    },
  );

  it("does not hold what a link has taken the place of", async () => {
    const { inside, outside } = await makeSwappable([]);
    mkdirSync(join(outside, "sub"));
    renameSync(inside, `${inside}-aside`);
    symlinkSync(outside, inside);
    expect(() => holdDirectory(inside)).toThrow(PathChanged);
    expect(() => holdDirectory(join(inside, "sub"))).toThrow(PathChanged);
  });

  it("makes missing directories, none of them behind a link that has come since", async () => {
    const { inside, outside } = await makeSwappable([]);
    using held = holdDirectory(join(inside, "a/b/c"), 0o700);
    expect(held.path).toBe(join(inside, "a/b/c"));
    expect(lstatSync(join(inside, "a/b")).mode & 0o777).toBe(0o700);

    symlinkSync(outside, join(inside, "x"));
    expect(() => holdDirectory(join(inside, "x/y/z"), 0o700)).toThrow(PathChanged);
    expect(readdirSync(outside)).toEqual([]);
  });

  it("makes nothing unless it is asked to", async () => {
    const { inside } = await makeSwappable([]);
    expect(() => holdDirectory(join(inside, "a"))).toThrow("ENOENT");
  });

  it("holds a directory whose names may not be listed", async () => {
    const { inside } = await makeSwappable(["f"]);
    chmodSync(inside, 0o300);
    try {
      using held = holdDirectory(inside);
      expect(lstatSync(held.at("f")).isFile()).toBe(true);
    } finally {
      chmodSync(inside, 0o700);
    }
  });

  it("tells errors about the path that people know", async () => {
    const { inside } = await makeSwappable([]);
    using held = holdDirectory(inside);
    let error: unknown;
    try {
      lstatSync(held.at("nothing"));
    } catch (thrown) {
      error = held.named(thrown);
    }
    expect(String(error)).toContain(`lstat '${join(inside, "nothing")}'`);
  });
});

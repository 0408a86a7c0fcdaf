import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../test/support/stage.ts";
import { readSmallFile } from "./read-small-file.ts";

describe("readSmallFile", () => {
  test("reads up to the limit and refuses one byte more", () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "x".repeat(2048));
    expect(readSmallFile(file, 2048)).toEqual({ kind: "text", text: "x".repeat(2048) });
    expect(readSmallFile(file, 2047)).toEqual({
      kind: "refused",
      reason: "it is larger than 1 KiB",
    });
  });

  test("what is not there is missing, also behind a file or a dangling link", () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "file"), "");
    symlinkSync("nowhere", join(directory, "dangling"));
    for (const name of ["gone", "file/below", "dangling"])
      expect(readSmallFile(join(directory, name), 100)).toEqual({ kind: "missing" });
  });

  test("opens no pipe, no directory and no device, also through a link", () => {
    const directory = temporaryDirectory();
    execFileSync("mkfifo", [join(directory, "pipe")]);
    mkdirSync(join(directory, "directory"));
    symlinkSync("pipe", join(directory, "link"));
    for (const file of ["pipe", "directory", "link"].map((name) => join(directory, name)))
      expect(readSmallFile(file, 100)).toMatchObject({ kind: "refused" });
    expect(readSmallFile("/dev/zero", 100)).toMatchObject({ kind: "refused" });
  });

  test.skipIf(process.platform !== "linux")(
    "a file that claims to be empty is read, and bounded",
    () => {
      expect(readSmallFile("/proc/self/status", 100_000)).toMatchObject({
        kind: "text",
        text: expect.stringContaining("Pid:"),
      });
      expect(readSmallFile("/proc/self/status", 100)).toMatchObject({ kind: "refused" });
    },
  );
});

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tryBubblewrap } from "./bubblewrap.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

let place: string;

beforeEach(() => {
  place = temporaryDirectory();
});

test("bubblewrap that is nowhere is missing, with the remedy", async () => {
  writeFileSync(join(place, "bwrap"), "no program");
  expect(await tryBubblewrap([place, "/nowhere"])).toEqual({
    missing: expect.stringMatching(/^bubblewrap is not installed\. Install it/),
  });
});

test("bubblewrap that fails is missing, with its own last words", async () => {
  writeFileSync(join(place, "bwrap"), "#!/bin/sh\necho bwrap: no namespaces >&2\nexit 1\n");
  chmodSync(join(place, "bwrap"), 0o755);
  expect(await tryBubblewrap([place])).toEqual({
    missing: expect.stringMatching(
      /^bubblewrap does not work here \(bwrap: no namespaces\)\. Allow/,
    ),
  });
});

test("bubblewrap that works is the first in the given places", async () => {
  writeFileSync(join(place, "bwrap"), "#!/bin/sh\nexit 0\n");
  chmodSync(join(place, "bwrap"), 0o755);
  expect(await tryBubblewrap(["/nowhere", place, "/usr/bin"])).toEqual({
    program: join(place, "bwrap"),
  });
});

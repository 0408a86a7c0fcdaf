import { expect, test } from "vitest";
import type { Diagnostic } from "../../contract/diagnostic.ts";
import { withPlaces } from "./with-places.ts";

test("a file with a thousand problems is read once, and each stands where its field does", async () => {
  const reads: string[] = [];
  const read = (file: string): string => {
    reads.push(file);
    return "---\nname: a\ndescription: d\nskills: [x]\n---\nbody\n";
  };
  const problems = Array.from({ length: 1000 }, (_, index): Diagnostic => ({
    severity: "warning",
    code: "unknown",
    file: "/a.md",
    line: 1,
    column: 1,
    field: "skills",
    message: `${index}`,
  }));
  const placed = await withPlaces(problems, read);
  expect(reads).toEqual(["/a.md"]);
  expect(new Set(placed.map(({ line }) => line))).toEqual(new Set([4]));
  expect(placed.map(({ message }) => message)).toEqual(problems.map(({ message }) => message));
});

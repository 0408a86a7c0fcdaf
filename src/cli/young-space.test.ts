import { expect, test } from "vitest";
import { backgroundOptions, youngSpace } from "./young-space.ts";

test("the space for young objects is limited unless somebody has set his own limit", () => {
  expect(backgroundOptions([], undefined)).toEqual([youngSpace]);
  expect(backgroundOptions(["--trace-warnings"], "")).toEqual([youngSpace, "--trace-warnings"]);
  expect(backgroundOptions(["--max_semi_space_size=64"], undefined)).toEqual([
    "--max_semi_space_size=64",
  ]);
  expect(backgroundOptions([], "--no-warnings --max-semi-space-size=32")).toEqual([]);
});

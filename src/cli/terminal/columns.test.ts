import { expect, test } from "vitest";
import { columns } from "./columns.ts";

const rows = [
  ["ID", "TASK"],
  ["a1", "look around"],
];

test("columns are as wide as they must be, and the last is cut at the edge of the terminal", () => {
  expect(columns(rows, undefined)).toEqual(["ID  TASK", "a1  look around"]);
  expect(columns(rows, 10)).toEqual(["ID  TASK", "a1  look …"]);
});

test("a terminal that does not know its width gets all of it", () => {
  expect(columns(rows, 0)).toEqual(columns(rows, undefined));
});

import { expect, test } from "vitest";
import { newAgentId } from "./ids.ts";

test("agent ids are told apart by their first digits", () => {
  const ids = Array.from({ length: 1000 }, newAgentId);
  expect(ids.every((id) => /^a[0-9a-f]{16}$/.test(id))).toBe(true);
  expect(new Set(ids.map((id) => id[1])).size).toBe(16);
});

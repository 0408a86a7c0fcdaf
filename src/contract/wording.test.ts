import { expect, test } from "vitest";
import { z } from "zod";
import { problemsIn, wording } from "./wording.ts";

const said = (schema: z.ZodType, value: unknown): string => {
  const { error } = schema.safeParse(value, { error: wording });
  return error === undefined ? "" : problemsIn(error, "it");
};

test.each<[z.ZodType, unknown, string]>([
  [z.string(), 3, "it: must be text"],
  [z.object({ a: z.string() }), {}, "a: is missing"],
  [z.object({ a: z.array(z.string()) }), { a: ["x", 3] }, "a.1: must be text"],
  [z.array(z.string()), "x", "it: must be a list"],
  [z.record(z.string(), z.string()), [], "it: must be a map of keys and values"],
  [z.number(), "3", "it: must be a number"],
  [z.int(), 1.5, "it: must be a whole number"],
  [z.boolean(), "yes", "it: must be true or false"],
  [z.enum(["low", "high"]), "middle", "it: must be one of low, high"],
  [z.literal(4), 3, "it: must be 4"],
  [z.string().min(1), "", "it: must not be empty"],
  [z.string().min(3), "x", "it: must have at least 3 characters"],
  [z.string().max(2), "xxx", "it: must have at most 2 characters"],
  [z.array(z.string()).min(1), [], "it: must have at least 1 items"],
  [z.number().positive(), 0, "it: must be more than 0"],
  [z.number().min(1).max(9), 10, "it: must be at most 9"],
  [z.strictObject({}), { a: 1, b: 2 }, "it: has unknown fields: a, b"],
  [z.union([z.string(), z.array(z.string())]), 3, "it: must be text, or must be a list"],
  [
    z.object({ a: z.number(), b: z.string() }),
    { a: "x", b: 1 },
    "a: must be a number; b: must be text",
  ],
])("case %#: what does not fit is said in our words", (schema, value, expected) => {
  expect(said(schema, value)).toBe(expected);
});

test("what a schema says itself comes first", () => {
  expect(said(z.string({ error: "Name a colour" }), 3)).toBe("it: Name a colour");
  expect(
    said(
      z.string().refine(() => false, "is no colour"),
      "x",
    ),
  ).toBe("it: is no colour");
});

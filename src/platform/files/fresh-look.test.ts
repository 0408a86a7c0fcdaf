import { expect, test } from "vitest";
import { FreshLook } from "./fresh-look.ts";

function counted(): { looks: () => number; fresh: FreshLook<number> } {
  let looks = 0;
  const fresh = new FreshLook(async () => (looks += 1));
  return { looks: () => looks, fresh };
}

test("all who had asked when a look began share what it found", async () => {
  const { looks, fresh } = counted();
  const asked = Array.from({ length: 50 }, () => fresh.ask());
  for (const get of asked) expect(await get()).toBe(1);
  expect(looks()).toBe(1);
});

test("who asks after a look has begun gets another one", async () => {
  const { fresh } = counted();
  const first = fresh.ask();
  const found = first();
  const second = fresh.ask();
  expect(await found).toBe(1);
  expect(await second()).toBe(2);
  expect(await fresh.now()).toBe(3);
});

test("a look that fails is not what the next one gets", async () => {
  let works = false;
  const fresh = new FreshLook(async () => {
    if (!works) throw new Error("the disk is gone");
    return "found";
  });
  await expect(fresh.now()).rejects.toThrow("the disk is gone");
  works = true;
  expect(await fresh.now()).toBe("found");
});

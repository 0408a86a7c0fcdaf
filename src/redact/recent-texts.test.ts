import { expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { RecentTexts } from "./recent-texts.ts";

test("it never knows what it was not told, and always what it was told last", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 12 })), fc.string(), (texts, other) => {
      const recent = new RecentTexts();
      for (const text of texts) {
        recent.add(text);
        expect(recent.has(text)).toBe(true);
      }
      expect(recent.has(other)).toBe(texts.includes(other));
    }),
  );
});

test("what is met again and again stays, what was met once goes", () => {
  const recent = new RecentTexts();
  recent.add("again");
  recent.add("once");
  for (let number = 0; number < 2000; number += 1) {
    recent.add(`text ${number}`);
    expect(recent.has("again")).toBe(true);
  }
  expect(recent.has("once")).toBe(false);
  expect(recent.has("text 1999")).toBe(true);
});

import { expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { newAgentId } from "../ids.ts";
import { RecentTexts } from "./recent-texts.ts";

test("it never knows what it was not told, and always what it was told last", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 12 })), fc.string(), (texts, other) => {
      const recent = new RecentTexts();
      for (const text of texts) {
        recent.add(text);
        expect(recent.has(text)).toBe(true);
      }
      // No text at all is in it from the beginning, which is as clean as can be.
      if (other !== "" && !texts.includes(other)) expect(recent.has(other)).toBe(false);
    }),
  );
});

test("what an agent says again and again is still known after what it says once", () => {
  const ids = Array.from({ length: 50 }, () => newAgentId());
  const paths = Array.from({ length: 50 }, (_, number) => `src/parts/part-${number}.ts`);
  const recent = new RecentTexts();
  for (const text of [...ids, ...paths]) recent.add(text);
  const known = [...ids, ...paths].filter((text) => recent.has(text));
  expect(known.length).toBeGreaterThan(60);
});

import { expect, test } from "vitest";
import type { GivenAnswer } from "./reach.ts";
import { RecentGrants } from "./recent-grants.ts";

const given = (by: string): GivenAnswer => ({
  to: { agentId: "a1", agentType: "worker", definitionHash: "h" },
  answer: { verdict: "allow", scope: "session", rules: ["Edit"] },
  by,
});

test("whoever follows sees what is granted meanwhile, and nothing from before or after", () => {
  const recent = new RecentGrants();
  recent.note(given("before"));
  const first = recent.follow();
  recent.note(given("one"));
  const second = recent.follow();
  recent.note(given("two"));
  first[Symbol.dispose]();
  recent.note(given("three"));
  expect(first.given.map(({ by }) => by)).toEqual(["one", "two"]);
  expect(second.given.map(({ by }) => by)).toEqual(["two", "three"]);
});

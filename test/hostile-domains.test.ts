import { expect, test } from "vitest";
import { ruleProblem } from "../src/permissions/rules/rule-problem.ts";
import { bookOf, makeCountry } from "./support/verdict.ts";
import { decide } from "../src/permissions/decide.ts";

function decided(url: string, rules: readonly string[]): ReturnType<typeof decide> {
  const book = bookOf(makeCountry(), { rules });
  const call = {
    tool: "WebFetch",
    effect: "look" as const,
    input: { url, prompt: "x" },
    paths: [],
  };
  return decide(book, { ...call, agentType: () => "general-purpose" }, { canAsk: true });
}

test.each([
  ["WebFetch(evil.com)", "https://evil.com/"],
  ["WebFetch(domain:https://evil.com)", "https://evil.com/"],
  ["WebFetch(domain:evil.com:8443)", "https://evil.com:8443/"],
])("a rule that denies and names no host denies all: %s", (rule, url) => {
  expect(decided(url, ["allow WebFetch", `deny ${rule}`]).verdict).toBe("deny");
  expect(ruleProblem("deny", rule)).toMatch(/matches every address/);
});

test.each(["https://*/", "https://*.com/", "https://%2a.com/"])(
  "no rule with a star is suggested for %s",
  (url) => {
    expect(decided(url, [])).toMatchObject({ verdict: "ask", suggestions: [] });
  },
);

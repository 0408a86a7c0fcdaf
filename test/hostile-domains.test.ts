import { expect, test } from "vitest";
import { ruleProblem } from "../src/permissions/rules/rule-problem.ts";
import type { Decision } from "../src/permissions/decision.ts";
import { decisionOf, makeCountry } from "./support/verdict.ts";

function decided(url: string, rules: readonly string[]): Decision {
  const call = { tool: "WebFetch", input: { url, prompt: "x" }, effect: "look" } as const;
  return decisionOf(call, makeCountry(), { rules });
}

test.each([
  ["WebFetch(evil.com)", "https://evil.com/"],
  ["WebFetch(https://evil.com)", "https://evil.com/"],
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

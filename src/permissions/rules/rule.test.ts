import { expect, test } from "vitest";
import type { RuleKind } from "../decision.ts";
import { isAbout, matchesParameter, parseRule } from "./rule.ts";

function isRuleAbout(kind: RuleKind, rule: string, tool: string): boolean {
  return isAbout(parseRule({ kind, rule, source: "" }), tool);
}

test.each<[RuleKind, string, string]>([
  ["allow", "Bash", "Bash"],
  ["allow", "Task", "Agent"],
  ["allow", "Edit", "Write"],
  ["allow", "Read", "Grep"],
  ["allow", "mcp__a", "mcp__a__b"],
  ["allow", "mcp__a__*", "mcp__a__b"],
  ["deny", "bash", "Bash"],
  ["deny", "Bash(", "Bash"],
  ["deny", "*", "WebFetch"],
  ["deny", "mcp__*", "mcp__a__b"],
  ["deny", "mcp__a__b", "mcp__a__b__c"],
])("%s %s is about %s", (kind, rule, tool) => {
  expect(isRuleAbout(kind, rule, tool)).toBe(true);
});

test.each<[RuleKind, string, string]>([
  ["allow", "bash", "Bash"],
  ["allow", "*", "Bash"],
  ["allow", "B*", "Bash"],
  ["allow", "mcp__*", "mcp__a__b"],
  ["allow", "mcp__*__b", "mcp__a__b"],
  ["allow", "mcp__a", "mcp__ab__c"],
  ["allow", "mcp__a__b", "mcp__a__b__c"],
  ["allow", "Bash(x", "Bash"],
  ["deny", "constructor", "Bash"],
  ["deny", "__proto__", "Bash"],
  ["deny", "", "Bash"],
  ["deny", "()", "Bash"],
])("%s %s is not about %s", (kind, rule, tool) => {
  expect(isRuleAbout(kind, rule, tool)).toBe(false);
});

test.each<[RuleKind, string, string | null]>([
  ["allow", "Bash(*)", null],
  ["allow", "Bash(a (b))", "a (b)"],
  ["allow", "Bash(:*)", ":*"],
  ["deny", "Bash(:*)", null],
  ["deny", "Bash(: *)", ": *"],
])("%s %s has the specifier %j", (kind, rule, specifier) => {
  expect(parseRule({ kind, rule, source: "" }).specifier).toBe(specifier);
});

test("parameters are compared whole, only where something is forbidden, and never the main one", () => {
  const fits = (kind: RuleKind, rule: string, input: Record<string, unknown>): boolean =>
    matchesParameter(parseRule({ kind, rule, source: "" }), input);
  expect(fits("deny", "Agent(model:op*)", { model: "opus" })).toBe(true);
  expect(fits("deny", "X(deep:true)", { deep: true })).toBe(true);
  expect(fits("deny", "Agent(model:op*)", {})).toBe(false);
  expect(fits("deny", "Agent(toString:*)", {})).toBe(false);
  expect(fits("deny", "X(a:*)", { a: {} })).toBe(false);
  expect(fits("deny", "Bash(command:*)", { command: "a" })).toBe(false);
  expect(fits("allow", "Agent(model:op*)", { model: "opus" })).toBe(false);
});

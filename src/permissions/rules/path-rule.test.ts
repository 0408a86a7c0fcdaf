import { expect, test } from "vitest";
import { matchesPath, pathRules, ruleForPath } from "./path-rule.ts";

const anchors = { project: "/r", cwd: "/r", home: "/h" };

function isAbout(specifier: string, path: string, kind: "deny" | "allow" = "deny"): boolean {
  return pathRules(specifier, kind, anchors).some((rule) => matchesPath(rule, path));
}

test.each([
  ["./.env", "/r/.env"],
  [".env", "/r/a/.env"],
  ["secrets", "/r/secrets/.env"],
  ["secrets/**", "/r/secrets/a/.env"],
  ["secrets/**", "/r/secrets"],
  ["secrets/**", "/r/a/secrets/b"],
  ["/secrets/", "/r/secrets/a"],
  ["*.pem", "/r/a/.x.pem"],
  ["**", "/r/.env"],
  ["./**", "/r/.git/config"],
  ["**/.env", "/r/a/b/.env"],
  ["a/**/z", "/r/a/z"],
  ["a/**/z", "/r/a/b/c/z/deep"],
  ["./a/../b/c", "/r/b/c"],
  ["//etc/**", "/etc/passwd"],
  ["~/.ssh/**", "/h/.ssh/id"],
  ["{a,b}/c", "/r/a/c"],
  ["@(a|b)/c", "/r/b/c"],
  ["[ab]/c", "/r/a/c"],
  ["a\\/b", "/r/a/b"],
  ["key[[:digit:]].pem", "/r/key1.pem"],
  ["src/**.pem", "/r/src/a/b/k.pem"],
  ["{a,b", "/r/x"],
])("a rule that forbids %s is about %s", (specifier, path) => {
  expect(isAbout(specifier, path)).toBe(true);
});

test.each([
  ["./.env", "/r/.env.example"],
  ["/.env", "/r/sub/.env"],
  [".ENV", "/r/.env"],
  ["secrets/**", "/r/secrets2/a"],
  ["*.pem", "/r/a.pem.txt"],
  ["//etc/**", "/r/etc/passwd"],
  ["./**", "/elsewhere"],
])("a rule that forbids %s is not about %s", (specifier, path) => {
  if (process.platform !== "darwin" || specifier !== ".ENV")
    expect(isAbout(specifier, path)).toBe(false);
});

test.each([
  ["secrets/**", "/r/a/secrets/b"],
  ["{a,b}/c", "/r/a/c"],
  ["../x", "/x"],
])("a rule that allows %s does not mean %s", (specifier, path) => {
  expect(isAbout(specifier, path, "allow")).toBe(false);
});

test("a rule is suggested only for a path that it would be about, and about no other", () => {
  expect(ruleForPath("Edit", "/r/a (1).txt")).toBe("Edit(//r/a (1).txt)");
  for (const name of ["a*", "a?", "[a]", "{a,b}", "a\\b", "a ", "a\t", "2\v", "a\u00A0"])
    expect(ruleForPath("Edit", `/r/${name}`), JSON.stringify(name)).toBeNull();
});

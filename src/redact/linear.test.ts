import { expect, test } from "vitest";
import { openContext } from "./context-patterns.ts";
import { randomText } from "./examples-fixture.ts";
import { ownExpression, replaceOwn } from "./own-patterns.ts";
import { createRedactor } from "./redactor.ts";
import { regexProblem } from "./regex-problem.ts";
import { anyMarker, secretPatterns, shapeMarker } from "./secret-patterns.ts";

/** An expression that looks at the same text again and again would be busy for hours with these, not for moments. */
const megabyte = 1_000_000;
const filled = (text: string): string => text.repeat(Math.ceil(megabyte / text.length));

const general = [
  "=",
  ":",
  ": ",
  "a=",
  "-",
  "_",
  ".",
  "://",
  "://a:",
  "eyJ",
  "a.",
  "A",
  " ",
  "\t",
  "login ",
  "password ",
  "password=",
  "\\n",
  "ghp_",
  "cookie:",
  "cookie: a=b; ",
  "Cookie: a",
  "set-cookie:a=",
  "password\\u003d",
  "\\u003d",
  "%2",
  "[0;",
  "-----BEGIN PRIVATE KEY-----\n",
  "-----END PRIVATE KEY-----\n",
  "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n",
  "PRIVATE KEY",
  "AAAAAAAAAAAAAAAAAAAA\n",
].map(filled);
const redactor = createRedactor({ env: { SOME_TOKEN: "aaaaaaaaaaaaaaaaaaaaaa0" } });

test.each(secretPatterns)("$name ends on a megabyte of anything", ({ find, markers, examples }) => {
  const [example = ""] = examples(randomText(2))[0] ?? [];
  const almost = filled(example.slice(0, -1));
  const begun = `${example.slice(0, 12)}${filled("a-A_")}!`;
  for (const text of [filled(markers[0] ?? ""), almost, begun]) {
    expect(text.replaceAll(find, "").length).toBeLessThanOrEqual(text.length);
  }
  expect(redactor.text(almost).length).toBeGreaterThan(0);
});

test("so do all of them together, and what is asked before them", () => {
  for (const text of general) {
    expect(redactor.text(text).length).toBeGreaterThan(0);
    for (const marker of [anyMarker, shapeMarker]) {
      marker.lastIndex = 0;
      expect(marker.test(text)).toBeTypeOf("boolean");
    }
    // Only ever tested on the last words, one of which may be long.
    expect(openContext.test(text.slice(0, 8448))).toBeTypeOf("boolean");
  }
});

test.each(secretPatterns)("$name repeats nothing that repeats", ({ find }) => {
  expect(regexProblem(find.source, 4)).toBeUndefined();
});

test.each([
  "(a+)+",
  "(a*)*b",
  "(?:a|aa)+$",
  "(\\w+\\s?)*x",
  "(a{1,9}){1,9}",
  "([a-z]+)*",
  "(?<n>a+){5,}",
  "(x)\\1+",
  "(?:(?:a+)b?)+",
  "a*b*c*d*e*",
])("an expression that could explode is refused: %s", (source) => {
  expect(regexProblem(source)).toMatch(/;/);
});

test.each([
  "emp-\\d+",
  "[a-z(*)+]+",
  "a{3}b{2,5}",
  "(?:foo|bar)-\\d{4,8}",
  "\\(a+\\)+",
  "^Bearer \\S+",
  "(\\d{2,4}-){2}x",
])("a plain expression is taken: %s", (source) => {
  expect(regexProblem(source)).toBeUndefined();
});

test("an expression of somebody's that is slow on long lines still ends", () => {
  const slow = ownExpression("a*a*b");
  expect(replaceOwn("a".repeat(2000), slow, "x")).toHaveLength(2000);
});

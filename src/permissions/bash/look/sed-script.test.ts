import { expect, test } from "vitest";
import { isHarmlessSed } from "./sed-script.ts";

test.each([
  "p",
  "1,5p",
  "$d",
  "/a b/,/c/p",
  "/a/,+3d",
  "10q",
  "$!d",
  "=",
  "s/a/b/",
  "s/a/b/gI",
  "s|a/b|c|2p",
  "1,3s/a\\.b\\(c\\)/\\1/g",
  "s/a/b/; s/c/d/\np",
  "",
])("%s is harmless", (script) => {
  expect(isHarmlessSed(script)).toBe(true);
});

test.each([
  "e",
  "1e id",
  "s/a/b/e",
  "s/a/b/w x",
  "s/a/b/gw x",
  "w x",
  "1w x",
  "r x",
  "R x",
  "W x",
  "a\\\nx",
  "{p}",
  "/a/{e\n}",
  "s/a/b",
  "s/a/b/c/e",
  // The escaped slash is none, so that the substitution ends later and `e` is a flag of it.
  "s/x*\\/*$/;/e#/p",
  "s/a\\/b/;/w x/p",
  "s,a\\,b,;/x,w y/p",
  "b x",
  "y/a/b/",
  "F",
  "z",
  "#n",
])("%s is not known to be", (script) => {
  expect(isHarmlessSed(script)).toBe(false);
});

import { expect, test } from "vitest";
import { isDomain, matchesDomain } from "./domain.ts";

test.each([
  ["example.com", "https://example.com/a"],
  ["example.com", "HTTPS://user:pw@EXAMPLE.com:8443/a?b#c"],
  ["example.com", "https://example.com./"],
  ["example.com.", "https://example.com/"],
  ["example.com", "https:\\\\example.com\\a"],
  ["*.example.com", "https://a.b.example.com/"],
  ["*", "https://anything/"],
  ["a*.example.com", "https://abc.example.com/"],
  ["127.0.0.1", "http://2130706433/"],
  ["127.0.0.1", "http://0x7f.1/"],
  ["[::1]", "http://[0:0::1]/"],
  ["bücher.example", "https://xn--bcher-kva.example/"],
  ["*.bücher.example", "https://a.bücher.example/"],
])("domain:%s is about %s", (pattern, url) => {
  expect(matchesDomain(`domain:${pattern}`, url)).toBe(true);
});

test.each([
  ["example.com", "https://a.example.com/"],
  ["example.com", "https://example.com.evil.org/"],
  ["example.com", "https://evil.org/example.com"],
  ["example.com", "https://example.com@evil.org/"],
  ["*.example.com", "https://example.com/"],
  ["*.example.com", "https://badexample.com/"],
  ["a*.example.com", "https://a.b.example.com/"],
  ["example.com", "not an address"],
  ["example.com", undefined],
])("domain:%s is not about %s", (pattern, url) => {
  expect(matchesDomain(`domain:${pattern}`, url)).toBe(false);
});

test("what is not a domain is about nothing", () => {
  expect(matchesDomain("example.com", "https://example.com/")).toBe(false);
});

test.each(["evil.com", "domain:https://evil.com", "domain:evil.com:8443", "domain:", "domain:a b"])(
  "%s names no host",
  (specifier) => {
    expect(isDomain(specifier)).toBe(false);
  },
);

test.each([
  "domain:example.com",
  "domain:*.example.com",
  "domain:[::1]",
  "DOMAIN: bücher.example ",
])("%s names a host", (specifier) => {
  expect(isDomain(specifier)).toBe(true);
});

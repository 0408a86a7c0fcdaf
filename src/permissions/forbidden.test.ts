import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "../../test/support/stage.ts";
import { realPath } from "../platform/real-path.ts";
import { isForbidden, parseForbidding } from "./forbidden.ts";

function forbids(rule: string, tool: string, path: string, roots: string[] = ["/r"]): boolean {
  const [parsed] = parseForbidding({ deny: [rule], ask: [] });
  if (parsed === undefined) throw new Error("no rule");
  return isForbidden(parsed, { tool, paths: [{ given: path, real: realPath(path) }] }, roots);
}

test.each([
  ["Read(./.env)", "/r/.env"],
  ["Read(.env)", "/r/.h/.env"],
  ["Read(.env) ", "/r/.env"],
  ["read(.ENV)", "/r/.env"],
  ["Read(secrets)", "/r/secrets/.env"],
  ["Read(secrets/**)", "/r/secrets/a/.env"],
  ["Read(secrets/**)", "/r/secrets"],
  ["Read(/secrets/)", "/r/secrets/a"],
  ["Read(*.pem)", "/r/a/.x.pem"],
  ["Read(**)", "/r/.env"],
  ["Read(./**)", "/r/.git/config"],
  ["Read(**/.env)", "/r/a/b/.env"],
  ["Read(a/**/z)", "/r/a/z"],
  ["Read(a/**/z)", "/r/a/b/c/z/deep"],
  ["Read(./a/../b/c)", "/r/b/c"],
  ["Read(//etc/**)", "/etc/passwd"],
  ["Read({a,b}/c)", "/r/a/c"],
  ["Read(@(a|b)/c)", "/r/b/c"],
  ["Read([ab]/c)", "/r/a/c"],
  ["Read(a\\/b)", "/r/a/b"],
  ["Read(**/{.env,{id_rsa,id_dsa}})", "/r/a/id_rsa"],
  ["Read(@(a|@(b|c)))", "/r/a"],
  ["Read(key[[:digit:]].pem)", "/r/key1.pem"],
  ["Read({config,deploy/prod}/keys/**)", "/r/deploy/prod/keys/x"],
  ["Read(src/{a/b,c}/secret)", "/r/src/a/b/secret"],
  ["Read(src/**.pem)", "/r/src/a/b/k.pem"],
  ["Read(./secrets**/key)", "/r/secrets/a/key"],
  ["Read(../sib/x)", "/sib/x"],
  ["Read(/../sib/x)", "/sib/x"],
  ["Read({a,b)", "/r/x"],
])("%s is about %s", (rule, path) => {
  expect(forbids(rule, "Read", path)).toBe(true);
});

test.each([
  ["Read(./.env)", "/r/.env.example"],
  ["Read(/.env)", "/r/sub/.env"],
  ["Read(secrets/**)", "/r/secrets2/a"],
  ["Read(secrets/**)", "/r/a/secrets/b"],
  ["Read(*.pem)", "/r/a.pem.txt"],
  ["Read(//etc/**)", "/r/etc/passwd"],
  ["Read(./**)", "/elsewhere"],
])("%s is not about %s", (rule, path) => {
  expect(forbids(rule, "Read", path)).toBe(false);
});

test.each([
  ["Bash", "Bash"],
  ["bash", "Bash"],
  ["Bash(", "Bash"],
  ["Bash(rm *)", "Bash"],
  ["Bash(*)", "Bash"],
  ["Task", "Agent"],
  ["*", "WebFetch"],
  ["Read", "Grep"],
  ["Edit", "Write"],
  ["WebFetch(domain:x)", "WebFetch"],
  ["Write(src/**)", "Write"],
])("%s forbids %s, whatever the call", (rule, tool) => {
  expect(forbids(rule, tool, "/r/x")).toBe(true);
});

test.each(["toString", "constructor", "__proto__", "", "(", "()"])(
  "a rule %j about nothing does no harm",
  (rule) => {
    expect(forbids(rule, "Read", "/r/x")).toBe(false);
  },
);

test("directories with special characters in their names are only names", () => {
  for (const root of ["/p[x]", "/p{a,b}", "/p+(x)", "/p*"]) {
    expect(forbids("Read(./.env)", "Read", `${root}/.env`, [root])).toBe(true);
    expect(forbids("Read(./.env)", "Read", "/pa/.env", [root])).toBe(false);
  }
});

test("links in the rule and in the call lead to the same place", () => {
  const root = realpathSync(temporaryDirectory());
  mkdirSync(join(root, "home/.ssh"), { recursive: true });
  symlinkSync(join(root, "home"), join(root, "linked"));
  vi.stubEnv("HOME", join(root, "linked"));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(forbids("Read(~/.ssh/**)", "Read", join(root, "home/.ssh/id"))).toBe(true);
  expect(forbids(`Read(/${root}/linked/.ssh)`, "Read", join(root, "home/.ssh/id"))).toBe(true);
  expect(forbids("Read(home/**)", "Read", join(root, "linked/.ssh/id"), [root])).toBe(true);
});

test("no rule takes long, whatever it is", () => {
  const long = "a".repeat(60);
  const rules = [`${"*a".repeat(60)}x`, "+(+(+(a|aa)|a)|a)x", "{a,b}".repeat(20), "{1..9000000}"];
  for (const rule of [...rules, `${"**/".repeat(5000)}x`, `${"**/a/".repeat(1000)}x`]) {
    forbids(`Read(${rule})`, "Read", `/r/${`${long}/`.repeat(60)}${long}`);
    forbids(`Read(${rule})`, "Read", `/r/${"a/".repeat(1000)}b`);
  }
  expect(forbids(`Read(${"a/".repeat(200)})`, "Read", "/r/x")).toBe(true);
});

test("a rule that names a path literally is about it, wherever it is", () => {
  const name = fc
    .stringMatching(/^[a-z.][a-zA-Z0-9._-]{0,6}$/)
    .filter((text) => !/^\.+$/.test(text));
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.nat(), (names, cut) => {
      const path = `/r/${names.join("/")}`;
      const rule = names.slice(0, 1 + (cut % names.length)).join("/");
      expect(forbids(`Read(./${rule})`, "Read", path)).toBe(true);
      expect(forbids(`Edit(${rule}/**)`, "Write", path)).toBe(true);
    }),
  );
});

import { join } from "node:path";
import { expect, test } from "vitest";
import { decisionOf, makeCountry, verdictOf } from "../../test/support/verdict.ts";

test.each([
  ["deny comes before allow", ["allow Bash(a b)", "deny Bash(a *)"], "a b", "deny"],
  ["ask comes before allow", ["allow Bash(a b)", "ask Bash(a *)"], "a b", "ask"],
  ["deny comes before ask", ["ask Bash(a *)", "deny Bash(a *)"], "a b", "deny"],
  ["one part that is denied is enough", ["allow Bash", "deny Bash(b *)"], "a; b", "deny"],
  ["what may be denied is asked", ["allow Bash", "deny Bash(b *)"], "a; $x", "ask"],
  ["every part must be allowed", ["allow Bash(a *)"], "a; b", "ask"],
  ["names of JavaScript are no rules", ["deny constructor", "allow Bash(a)"], "a", "allow"],
] as const)("%s", (_, rules, command, verdict) => {
  expect(verdictOf(command, makeCountry(), { rules })).toBe(verdict);
});

test("in bypassPermissions only deny and ask rules, questions and critical paths are left", () => {
  const country = makeCountry();
  const mode = "bypassPermissions";
  expect(verdictOf("a", country, { mode })).toBe("allow");
  expect(verdictOf("a", country, { mode, rules: ["ask Bash(a)"] })).toBe("ask");
  expect(verdictOf("rm -rf ~", country, { mode })).toBe("ask");
  expect(verdictOf("echo > .git/config", country, { mode })).toBe("allow");
  expect(decisionOf({ tool: "AskUserQuestion" }, country, { mode }).verdict).toBe("ask");
});

test("an agent that only plans calls tools from elsewhere only if they change nothing", () => {
  const country = makeCountry();
  const planning = { mode: "plan", rules: ["allow mcp__a__b"] } as const;
  const verdictFor = (effect?: "look" | "other"): string =>
    decisionOf({ tool: "mcp__a__b", ...(effect && { effect }) }, country, planning).verdict;
  expect([verdictFor("look"), verdictFor("other"), verdictFor()]).toEqual([
    "allow",
    "deny",
    "deny",
  ]);
});

test.each(["/", "/etc", "~", "$HOME", ".", "..", "$D/*", '"$D"/', "../project", "/*", "~/*"])(
  "no mode and no rule removes %s unasked",
  (path) => {
    const country = makeCountry();
    for (const command of [`rm -rf ${path}`, `sudo rm ${path}`, `x() { rmdir ${path}; }`]) {
      expect(verdictOf(command, country, { mode: "bypassPermissions" }), command).toBe("ask");
      expect(verdictOf(command, country, { rules: ["allow Bash"] }), command).toBe("ask");
    }
  },
);

test.each([
  "echo > .git/hooks/x",
  "echo > ./a/../.mcp.json",
  "echo > .GIT/config",
  "cd .git && echo > config",
  "cp x .claude/settings.json",
  "cp /tmp/.mcp.json .",
  "mv /tmp/.bashrc ~",
  "tee .envrc",
  "eval 'echo > .git/config'",
  "echo > sub/.npmrc",
])("%s is asked about, whatever is allowed", (command) => {
  expect(verdictOf(command, makeCountry(), { rules: ["allow Bash", "allow Edit"] })).toBe("ask");
});

test("reasons name the rule and the part, and suggestions the rules that are missing", () => {
  const country = makeCountry();
  const call = { tool: "Bash", input: { command: "ls; make x > out" } };
  expect(decisionOf(call, country, { rules: ["deny Bash(make *)"] })).toMatchObject({
    verdict: "deny",
    reason: "'Bash(make *)' denies it (the test).",
    part: "make x",
    rule: { rule: "Bash(make *)" },
  });
  expect(decisionOf(call, country)).toMatchObject({
    verdict: "ask",
    reason: "'make x' needs approval: no rule allows it.",
    suggestions: ["Bash(make x)", `Edit(/${join(country.project, "out")})`],
  });
  expect(decisionOf(call, country, { mode: "dontAsk" }).reason).toMatch(
    /In the mode dontAsk nobody is asked\. Allow it with --allowedTools 'Bash\(make x\),Edit\(/,
  );
  expect(decisionOf(call, country, { canAsk: false }).verdict).toBe("deny");
});

test.each(["make 'a b'", "make ''", "make '$x'", "make '*'", "make $x", "make ~", "X=1 make"])(
  "for %s no rule is suggested, because its text would mean more",
  (command) => {
    const decision = decisionOf({ tool: "Bash", input: { command } }, makeCountry());
    expect(decision).toMatchObject({ verdict: "ask", suggestions: [] });
  },
);

test("who only plans edits nothing and runs nothing that a rule allows", () => {
  const country = makeCountry();
  const paths = [join(country.project, "x")];
  const mode = "plan";
  expect(decisionOf({ tool: "Edit", paths }, country, { mode }).verdict).toBe("deny");
  expect(decisionOf({ tool: "mcp__a__b" }, country, { mode }).verdict).toBe("deny");
  expect(verdictOf("make", country, { mode, rules: ["allow Bash"] })).toBe("ask");
  expect(verdictOf("ls", country, { mode })).toBe("allow");
});

test("what nobody can tell to be a forbidden file is asked about", () => {
  const country = makeCountry({ "project/secrets/key": "" });
  const circumstances = { mode: "bypassPermissions", rules: ["deny Read(secrets/**)"] } as const;
  const many = Array.from({ length: 900 }, (_, index) => `f${index}`).join(" ");
  expect(verdictOf("cat secrets/key", country, circumstances)).toBe("deny");
  expect(verdictOf("cat f1", country, circumstances)).toBe("allow");
  expect(verdictOf("cd $x; cat key", country, circumstances)).toBe("ask");
  expect(verdictOf(`cat ${many} secrets/key`, country, circumstances)).toBe("ask");
});

test.each([
  ["ls", {}, "look"],
  ["ls", { mode: "plan" }, "look"],
  ["ls", { mode: "plan", rules: ["allow Bash", "allow Bash(ls)"] }, "look"],
  ["ls", { mode: "dontAsk" }, "look"],
  ["ls", { rules: ["allow Bash(make)", "allow Edit"] }, "look"],
  ["ls", { mode: "acceptEdits" }, "edit"],
  ["mkdir made", { mode: "acceptEdits" }, "edit"],
  ["ls", { rules: ["allow Bash"] }, null],
  ["ls", { rules: ["allow Bash(ls)"] }, null],
  ["ls; make", { rules: ["allow Bash(make)"] }, null],
  ["ls > made", { rules: ["allow Edit"] }, null],
  ["ls", { grants: ["allow Bash(ls)"] }, null],
  ["ls", { mode: "bypassPermissions" }, null],
  ["ls", { rules: ["ask Bash(ls)"] }, null],
  ["ls", { rules: ["deny Bash(ls)"] }, null],
  ["make", {}, null],
] as const)("what nobody approved is confined: %s with %j to %s", (command, circumstances, to) => {
  const call = { tool: "Bash", input: { command } };
  expect(decisionOf(call, makeCountry(), circumstances).confinedTo).toBe(to);
});

test("tools that are no commands are confined to nothing", () => {
  const country = makeCountry();
  for (const tool of ["TodoWrite", "Read", "Edit"]) {
    const call = { tool, paths: [join(country.project, "file")] };
    expect(decisionOf(call, country, { mode: "acceptEdits" })).toMatchObject({
      verdict: "allow",
      confinedTo: null,
    });
  }
});

import { expect, test } from "vitest";
import { bash, report, script } from "./support/answering.ts";
import { shop } from "./support/repository.ts";

const rules = ["--allowedTools", "Bash(touch *)", "--disallowedTools", "Bash(rm *)"];

test("explain names the flag that a rule was typed with, and not --settings", () => {
  const { json } = shop();
  const sourceOf = (call: string, ...args: string[]): unknown => {
    const { decision } = json("explain", "--call", call, "--json", ...args) as {
      decision: { rule: { source: string }; reason: string };
    };
    expect(decision.reason).toContain(`(${decision.rule.source})`);
    return decision.rule.source;
  };
  const settings = JSON.stringify({ permissions: { deny: ["Bash(make *)"] } });
  const given = [...rules, "--settings", settings];
  expect(sourceOf("Bash(rm a)", ...given)).toBe("--disallowedTools");
  expect(sourceOf("Bash(touch a)", ...given)).toBe("--allowedTools");
  expect(sourceOf("Bash(make a)", ...given)).toBe("--settings");
});

test("a run's denial names the flag that the rule was typed with", () => {
  const scenario = script({ job: [bash("rm a"), report] });
  const { retinue } = shop({ "s.yaml": scenario });
  const { stderr } = retinue("run", "-p", "--rehearse", "s.yaml", ...rules, "job");
  expect(stderr).toContain("'Bash(rm *)' denies it (--disallowedTools).");
});

test("a rule of --disallowedTools that says nothing is refused by the name of the flag", () => {
  const { retinue } = shop({ "s.yaml": script({ job: [report] }) });
  const bad = ["--disallowedTools", "Bash(", "job"];
  expect(retinue("run", "-p", "--rehearse", "s.yaml", ...bad).stderr).toContain(
    "--disallowedTools: ",
  );
});

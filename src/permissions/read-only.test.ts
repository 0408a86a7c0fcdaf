import { expect, test } from "vitest";
import {
  decisionOf,
  makeCountry,
  verdictOf,
  type Country,
  type Circumstances,
} from "../../test/support/verdict.ts";
import { loadShellParser } from "./shell/parser.ts";
import { permissionModes, type ReadOnly } from "../contract/resolved-agent.ts";

await loadShellParser();

const newCountry = (): Country => makeCountry({ "project/a.txt": "a", "outside/b.txt": "b" });
const confined = (readOnly: ReadOnly, more: Circumstances = {}): Circumstances => ({
  ...more,
  policy: { confined: [{ readOnly }] },
});
const wide = ["allow Bash", "allow Bash(npm test *)", "allow Bash(touch *)", "allow Edit"];
const workingModes = permissionModes.filter((mode) => mode !== "delegate");

test.each(workingModes)(
  "in %s an agent whose definition is read-only runs nothing but commands that look, whatever is allowed",
  (mode) => {
    const country = newCountry();
    const held = confined(true, { mode, rules: wide });
    expect(verdictOf("cat a.txt | wc -l; git log", country, held)).toBe("allow");
    for (const command of [
      "touch x",
      "rm a.txt",
      "mkdir d",
      "npm test",
      "ls > out",
      "ls && touch x",
      "sed -i s/a/b/ a.txt",
      "echo $(touch x)",
      "$CMD",
    ])
      expect([command, verdictOf(command, country, held)]).toEqual([command, "deny"]);
    for (const tool of ["Edit", "Write", "NotebookEdit"]) {
      const paths = [`${country.project}/a.txt`];
      expect(decisionOf({ tool, paths }, country, held).verdict).toBe("deny");
    }
    expect(decisionOf({ tool: "mcp__s__change" }, country, held).verdict).toBe("deny");
  },
);

test("the denial says that the definition confines Bash, and which part does more than look", () => {
  const country = newCountry();
  const call = { tool: "Bash", input: { command: "ls; touch x" } };
  const { reason, part } = decisionOf(call, country, confined(true, { mode: "bypassPermissions" }));
  expect(reason).toMatch(
    /definition confines Bash to commands that only look; 'touch x' does more/,
  );
  expect(part).toBe("touch x");
});

test("looking elsewhere is not what a read-only definition forbids: it is asked as ever", () => {
  const country = newCountry();
  const command = `cat ${country.outside}/b.txt`;
  expect(verdictOf(command, country)).toBe("ask");
  expect(verdictOf(command, country, confined(true))).toBe("ask");
  expect(verdictOf(command, country, confined(true, { mode: "bypassPermissions" }))).toBe("allow");
});

test("unless-allowed: what a rule names runs, the rest is asked in every mode, and a rule for all of Bash names nothing", () => {
  const country = newCountry();
  const rules = ["allow Bash", "allow Bash(npm test *)"];
  for (const mode of ["default", "acceptEdits", "auto", "bypassPermissions"] as const) {
    const held = confined("unless-allowed", { mode, rules });
    expect(verdictOf("npm test -- --all", country, held)).toBe("allow");
    expect(verdictOf("ls", country, held)).toBe("allow");
    expect(verdictOf("touch x", country, held)).toBe("ask");
    expect(verdictOf("npm test > out.txt", country, held)).toBe("ask");
    expect(verdictOf("touch x", country, { ...held, canAsk: false })).toBe("deny");
  }
  const granted = confined("unless-allowed", { grants: ["allow Bash(make check)"] });
  expect(verdictOf("make check", country, granted)).toBe("allow");
  const call = { tool: "Bash", input: { command: "make" } };
  expect(decisionOf(call, country, { ...granted, mode: "dontAsk" })).toMatchObject({
    verdict: "deny",
    reason: expect.stringMatching(/'make' is neither\..*--allowedTools 'Bash\(make\)/) as string,
  });
});

test("of two read-only definitions, an agent's and one above it, the stricter holds", () => {
  const country = newCountry();
  const policy = { confined: [{ readOnly: "unless-allowed" }, { readOnly: true }] } as const;
  expect(verdictOf("npm test", country, { policy, rules: ["allow Bash(npm test)"] })).toBe("deny");
});

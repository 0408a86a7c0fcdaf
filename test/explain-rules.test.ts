import { expect, test } from "vitest";
import { shop } from "./support/repository.ts";

interface Explained {
  decision: { verdict: string; suggestions: string[] };
  wouldAllow: { rules: string[]; note: string | null };
}

const star = "* stands for any words";
const tilde = "~ may stand in quotes or be the home directory";
const explained = (command: string, rules: readonly string[] = []): Explained => {
  const { json } = shop();
  const allowed = rules.flatMap((rule) => ["--allowedTools", rule]);
  return json("explain", "--call", `Bash(${command})`, ...allowed, "--json") as Explained;
};

test.each([
  ["make a~ x", ["Bash(make a~ x)"]],
  ["make '{a,b}' \"[x]\"", ["Bash(make {a,b} [x])"]],
  ['make "it\'s"', ["Bash(make it's)"]],
])("%s would be allowed by the rule for its text", (command, rules) => {
  expect(explained(command)).toMatchObject({
    decision: { verdict: "ask", suggestions: rules },
    wouldAllow: { rules, note: null },
  });
  expect(explained(command, rules).decision.verdict).toBe("allow");
});

test.each([
  ['git commit -m "a b"', ["Bash(git commit -m *)"]],
  ['ls && timeout 5 make "$x" && npm test', ["Bash(make *)", "Bash(npm test)"]],
  ["make ~/x", ["Bash(make ~/x)"], tilde],
  ["make '~/x'", ["Bash(make ~/x)"], tilde],
])(
  "%s has no rule for it alone, and a wider one is named as such",
  (command, rules, more = star) => {
    expect(explained(command)).toMatchObject({
      decision: { verdict: "ask", suggestions: [] },
      wouldAllow: { rules, note: `these allow more than this call: ${more}` },
    });
    expect(explained(command, rules).decision.verdict).toBe("allow");
  },
);

test.each([
  ["make {a,b}", "the command is opaque: a brace in a word"],
  ["X=1 make", "no rule covers a command that sets X"],
  ['"my prog" a', "no rule names the program of 'my prog' a"],
  ["make > ~/out", "no rule covers > ~/out"],
  ["find . -name 'a b' -delete", "a star does not cover a program that runs or removes"],
])("%s: explain says why no rule narrower than Bash allows it", (command, why) => {
  const { rules, note } = explained(command).wouldAllow;
  expect(rules).toEqual([]);
  expect(note).toContain(`no rule but Bash, which allows every command: ${why}`);
  expect(explained(command, ["Bash"]).decision.verdict).toBe("allow");
  const { stdout } = shop().retinue("explain", "--call", `Bash(${command})`);
  expect(stdout).toMatch(/^would allow +no rule but Bash/m);
});

test("no rule is offered where none helps: critical paths, and tools that the agent lacks", () => {
  expect(explained("rm -rf ~").wouldAllow).toEqual({ rules: [], note: null });
  const lacks = shop().json("explain", "Explore", "--call", "Write(a)", "--json");
  expect(lacks).toMatchObject({ wouldAllow: { rules: [], note: null } });
});

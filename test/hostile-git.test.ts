import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { decisionOf, makeCountry, verdictOf } from "./support/verdict.ts";

// Commands by which git once wrote a protected file, or acted on a configuration, that no rule was about.

const files = {
  "project/README": "",
  "project/x.patch": "",
  "project/src/a.ts": "",
  "project/.claude/x": "",
};

const quoted = '".cl\\141ude/settings.local.json"';
const patch = `diff --git "a/.cl\\141ude/s.json" "b/.cl\\141ude/s.json"\n--- /dev/null\n+++ "b/.cl\\141ude/s.json"\n@@ -0,0 +1 @@\n+{}`;
const plainPatch = `diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -0,0 +1 @@\n+{}`;

test.each([
  `git update-index --index-info <<'X'\n100644 d364f71 0\t${quoted}\nX`,
  "printf '100644 %s\\t.clau%s/settings.local.json\\n' d364f71 de | git update-index --index-info",
  "printf '.clau%s/x\\n' de | git update-index --add --stdin",
  'git update-index --add --cacheinfo "100644,d364f71,$(printf .clau%s/x de)"',
  "git checkout -- ':(glob)**/settings.local.json'",
  "git checkout -- '*/settings.local.json'",
  "git checkout evil -- '.c*'",
  "git checkout evil -- ':/.c*/settings.local.json'",
  "git restore -s evil '.[c]laude/settings.json'",
  "git restore --source=evil ':(icase).CLAUD?/settings.local.json'",
  "printf '.clau%s/x\\n' de | git checkout evil --pathspec-from-file=-",
  "printf '.clau%s/x\\n' de | git checkout-index -f --stdin",
  `git apply <<'X'\n${patch}\nX`,
  `git apply -p1 - <<'X'\n${patch}\nX`,
  "printf '+++ b/.clau%s/x\\n' de | git apply",
  "printf '+++ b/.clau%s/x\\n' de | git apply --directory src",
  "printf '+++ b/.clau%s/x\\n' de | git am",
  "git show d364f71 | git apply",
  "git show HEAD:x.patch | git apply",
  "git am <<'X'\nContent-Transfer-Encoding: base64\n\nKysrIGIvLmNsYXVkZS94\nX",
])("no rule for git lets its input or a pattern name a protected file: %s", (command) => {
  const rules = ["allow Bash(git *)", "allow Bash(printf *)"];
  expect(verdictOf(command, makeCountry(files), { rules })).toBe("ask");
});

test.each([
  `git update-index --index-info <<'X'\n100644 d364f71 0\t${quoted}\nX`,
  `git apply <<'X'\n${patch}\nX`,
])("a quoted name of a protected file is seen under bare Bash too: %s", (command) => {
  expect(verdictOf(command, makeCountry(files), { rules: ["allow Bash"] })).toBe("ask");
});

test.each([
  "git apply x.patch",
  `git apply <<'X'\n${plainPatch}\nX`,
  "git diff | git apply -R",
  "git diff HEAD -- src | git apply --cached -R -",
  "git stash show -p | git apply -R",
  "git show HEAD~1 | git apply -R",
  "git update-index --assume-unchanged README",
  "git update-index --chmod=+x README",
  "git checkout -- src",
  "git checkout -- '*.ts'",
  "git checkout -- 'src/*.ts'",
  "git checkout -- '*.json'",
  "git checkout main -- . ':!src'",
  "git restore ':(top)README'",
  "git checkout -b feature",
])("a rule for git covers everyday patches and pathspecs: %s", (command) => {
  const rules = ["allow Bash(git *)"];
  const country = makeCountry(files);
  execFileSync("git", ["init", "-q", country.project]);
  expect(verdictOf(command, country, { rules })).toBe("allow");
});

const other = {
  ...files,
  "project/sub/evil/HEAD": "ref: refs/heads/x\n",
  "project/sub/evil/config": "[core]\n\tfsmonitor = evil\n",
  "project/sub/evil/objects/": "",
  "project/sub/evil/refs/": "",
  "project/nested/.git/HEAD": "ref: refs/heads/x\n",
};

test.each([
  ["cd sub/evil; git status", "Bash(git status)"],
  ["cd sub/evil && git status -s", "Bash(git status *)"],
  ["git -C sub/evil status -s", "Bash(git *)"],
  ["git -C nested log", "Bash(git *)"],
  ["git --git-dir=sub/evil status", "Bash(git *)"],
  ["git --git-dir sub/evil log", "Bash(git *)"],
  ["(cd sub/evil; timeout 5 git status)", "Bash(git status)"],
  ['git -C "$x" status', "Bash(git *)"],
])("a rule for git does not follow it into another repository: %s with %s", (command, rule) => {
  const country = makeCountry(other);
  execFileSync("git", ["init", "-q", country.project]);
  const { verdict, suggestions } = decisionOf({ tool: "Bash", input: { command } }, country, {
    rules: [`allow ${rule}`],
    policy: { trusted: true },
  });
  expect(verdict).toBe("ask");
  for (const one of suggestions)
    expect(
      verdictOf(command, country, { rules: suggestions.map((text) => `allow ${text}`) }),
      one,
    ).toBe("allow");
});

test("a rule for git does not follow a shell that stands in another repository", () => {
  const country = makeCountry(other);
  execFileSync("git", ["init", "-q", country.project]);
  const rules = ["allow Bash(git status *)"];
  expect(verdictOf("git status -s", country, { rules, at: "sub/evil" })).toBe("ask");
  expect(verdictOf("git status -s", country, { rules, at: "src" })).toBe("allow");
});

test.each([
  ["git -C sub/evil status", "Bash(git -C sub/evil status)"],
  ["git -C sub/evil status -s", "Bash(git -C sub/evil status *)"],
  ["git -C nested log", "Bash(git -C nested *)"],
  ["cd src && git status", "Bash(git status)"],
  ["git -C src add .", "Bash(git *)"],
  ["cd /tmp; git status", "Bash(git status)"],
  ["git push", "Bash(git push *)"],
])(
  "a rule for git covers what it names and the project's repository: %s with %s",
  (command, rule) => {
    const country = makeCountry(other);
    execFileSync("git", ["init", "-q", country.project]);
    const rules = [`allow ${rule}`, "allow Bash(cd *)"];
    expect(verdictOf(command, country, { rules })).toBe("allow");
  },
);

test("a rule for git holds in a project that is a directory of a repository", () => {
  const country = makeCountry(files);
  execFileSync("git", ["init", "-q", `${country.project}/..`]);
  expect(verdictOf("git push", country, { rules: ["allow Bash(git push)"] })).toBe("allow");
});

import { expect, test } from "vitest";
import { makeCountry, verdictOf } from "./support/verdict.ts";

// Lines in which one part makes links, and another one uses a path. The disk of before says nothing about that path.

const country = (): ReturnType<typeof makeCountry> =>
  makeCountry({
    "project/.env": "k\n",
    "project/kept.txt": "k\n",
    "project/README": "r\n",
    "project/hook.sh": "h\n",
    "project/docs/h": "d\n",
    "project/.git/config": "",
    "outside/secret": "s\n",
  });

test.each([
  ["git checkout -q evil; cat docs/h", "allow Bash(git checkout *)"],
  ["git pull; cat README", "allow Bash(git pull *)"],
  ["git switch evil && grep -n . docs/h", "allow Bash(git switch *)"],
  ["git merge evil; head README", "allow Bash(git merge *)"],
  ["git stash pop; cat < README", "allow Bash(git stash *)"],
  ["tar xf x.tar; cat docs/h", "allow Bash(tar *)"],
  ["patch -p1 -i p; cat docs/h", "allow Bash(patch *)"],
  ["ln -sf ../../outside/secret docs/h; cat docs/h", "allow Bash(ln *)"],
  ["ln -sf ../../outside/secret docs/h | grep -n . docs/h", "allow Bash(ln *)"],
  ["cp -sf /etc/passwd docs/h; cat docs/h", "allow Bash(cp *)"],
  ["for x in a b; do cat docs/h; ln -sf /etc/passwd docs/h; done", "allow Bash(ln *)"],
  ["cat docs/h & ln -sf /etc/passwd docs/h", "allow Bash(ln *)"],
  ["ln -sf ../../outside docs/o; cd docs/o", "allow Bash(ln *)"],
])("a path is not what it was before the line made links: %s, %s", (command, rule) => {
  for (const mode of ["default", "acceptEdits"] as const)
    expect(verdictOf(command, country(), { mode, rules: [rule] })).toBe("ask");
});

test.each([
  [
    "ln -sf ../.git/config docs/h; echo evil >> docs/h",
    ["allow Bash(ln *)", "allow Edit(docs/**)"],
  ],
  ["ln -sf ../../outside/zz a.txt; echo evil > a.txt", ["allow Bash(ln *)"]],
  [
    "ln -s ../.git/hooks docs/g; cp hook.sh docs/g/pre-commit",
    ["allow Bash(ln *)", "allow Bash(cp *)"],
  ],
  ['git checkout evil; cp hook.sh "$(cat x)"', ["allow Bash(git checkout *)", "allow Bash(cp *)"]],
  ["git checkout evil; cp hook.sh docs/h", ["allow Bash"]],
])("nothing is written behind links that the line makes: %s, %j", (command, rules) => {
  for (const mode of ["default", "acceptEdits"] as const)
    expect(verdictOf(command, country(), { mode, rules })).toBe("ask");
});

test.each([
  ["ln -s ../kept.txt docs/new; echo evil > docs/new", "deny Edit(./kept.txt)"],
  ["ln -s .. docs/up; echo evil > docs/up/kept.txt", "deny Edit(./kept.txt)"],
  ["ln -sf ../kept.txt docs/h; cp README docs/h", "deny Edit(./kept.txt)"],
  ["ln -sf ../kept.txt docs/h; echo evil | tee docs/h", "deny Edit(./kept.txt)"],
  ["ln -sf ../.env docs/h; cat docs/h", "deny Read(./.env)"],
  ["ln -sf ../.env docs/h; shuf docs/h", "deny Read(./.env)"],
  ["ln -s ../project/.env k; shuf k", "deny Read(./.env)"],
  ["ln -sf ../.env docs/h; git config -f docs/h -l", "deny Read(./.env)"],
  ["git checkout evil && cat docs/h", "deny Read(./.env)"],
  ["cat docs/h; git checkout evil; cat docs/h", "deny Read(./.env)"],
  ["sh -c 'git checkout evil'; cat docs/h", "deny Read(./.env)"],
  ["tar xf x.tar; cat < docs/h", "deny Read(./.env)"],
])("a rule that denies holds behind links that the line makes: %s, %s", (command, rule) => {
  const files = country();
  expect(verdictOf(command, files, { rules: ["allow Bash", rule] })).not.toBe("allow");
  expect(verdictOf(command, files, { rules: [rule], mode: "bypassPermissions" })).not.toBe("allow");
});

test.each([
  "git pull && npm test",
  "git checkout main && git log",
  "git checkout -b feature/x && git push -u origin feature/x",
  "git checkout -b x && echo y > README && git add README",
  "git add -A && git commit -m x && cat README",
  "cat README && git checkout main",
  "mkdir -p out && tar xf x.tar -C out",
  "tar czf x.tgz docs && cat README",
  "git checkout main && rm -rf node_modules && npm ci",
  "git pull && ls docs",
  "git pull && grep -rn x . > /dev/null",
  "ln -s docs d",
  "gh pr view 1 && cat README",
  "git stash && npm test && git stash pop",
])("everyday lines that make links stay free: %s", (command) => {
  expect(verdictOf(command, country(), { rules: ["allow Bash"] })).toBe("allow");
  const rules = ["allow Bash", "deny Read(./other)"];
  expect(verdictOf(command, country(), { rules })).toBe("allow");
});

test("parts without paths, and those before, need no rule beside one that makes links", () => {
  const rules = ["allow Bash(git checkout *)", "allow Bash(npm test *)"];
  for (const command of [
    "git checkout main && npm test",
    "git checkout main && git log",
    "git checkout main && pwd && ls",
    "cd docs && git checkout main",
    "cat README && git checkout main",
  ])
    expect(verdictOf(command, country(), { rules }), command).toBe("allow");
});

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { makeCountry, verdictOf, type Country } from "./support/verdict.ts";

/** A trusted repository that tracks a file which a rule denies. */
function repository(): Country {
  const country = makeCountry({ "project/README": "a\n", "project/.env": "k\n" });
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x", ...args], {
      cwd: country.project,
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  return country;
}

const looks = [
  "git worktree list",
  "git worktree list --porcelain",
  "git stash list",
  "git merge-base HEAD HEAD",
  "git rev-list --count HEAD",
  "git show-ref --heads",
  "git grep -n a",
  "git grep a -- README",
  "git worktree list && git log -1",
];

test("git that lists or searches is not asked about in a trusted repository", () => {
  const country = repository();
  const trusted = looks.filter(
    (command) => verdictOf(command, country, { policy: { trusted: true } }) !== "allow",
  );
  expect(trusted).toEqual([]);
  const untrusted = looks.filter(
    (command) => verdictOf(command, country, { policy: { trusted: false } }) === "allow",
  );
  expect(untrusted).toEqual([]);
});

test("git that writes, runs or leaves the repository is asked about there", () => {
  const country = repository();
  const commands = [
    "git grep -Oevil a",
    "git grep --no-index a",
    "git grep a -- ../outside",
    "git worktree add x",
    "git stash list --output=x",
    "git worktree list $x",
    "git stash",
  ];
  const allowed = commands.filter(
    (command) => verdictOf(command, country, { policy: { trusted: true } }) === "allow",
  );
  expect(allowed).toEqual([]);
});

test("git grep is asked about where a rule denies a file that git tracks", () => {
  const circumstances = { policy: { trusted: true }, rules: ["allow Bash", "deny Read(./.env)"] };
  expect(verdictOf("git grep k", repository(), circumstances)).toBe("ask");
  expect(verdictOf("git worktree list", repository(), circumstances)).toBe("allow");
});

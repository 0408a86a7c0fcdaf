import { expect, test } from "vitest";
import { decisionOf, makeCountry, verdictOf } from "./support/verdict.ts";

// A star stands for arguments, not for arguments that have a program run another one or write a file.

const running: readonly (readonly [rule: string, command: string])[] = [
  ["git fetch", "git fetch --upload-pack=./evil ."],
  ["git fetch", "git fetch --upload-p ./evil ."],
  ["git fetch", "git fetch ext::./evil"],
  ["git fetch", "git fetch -- ext::./evil"],
  ["git fetch", "x=--upload-pack=./evil; git fetch $x ."],
  ["git pull", "git pull --upload-pack=./evil"],
  ["git ls-remote", "git ls-remote --exec=./evil ."],
  ["git push", "git push --receive-pack=./evil ."],
  ["git clone", "git clone -u ./evil . x"],
  ["git grep", "git grep -O./evil x"],
  ["git grep", "git grep --open-files-in-pager=./evil x"],
  ["git rebase", "git rebase -x ./evil main"],
  ["git bisect", "git bisect run ./evil"],
  ["git submodule", "git submodule foreach ./evil"],
  ["git", "git -c core.pager=./evil log"],
  ["git", "git difftool -x ./evil"],
  ["git config", "git config core.pager ./evil"],
  ["rg", "rg --pre ./evil x"],
  ["rg", "rg --hostname-bin=./evil x"],
  ["rg", "echo --pre=./evil | xargs rg x"],
  ["sort", "sort --compress-program=./evil a"],
  ["sort", "sort --compress-p=./evil a"],
  ["sort", "sort -o x a"],
  ["sort", "sort -uox a"],
  ["sort", "sort --outp=x a"],
  ["sort", `x=-ox; sort "$x" a`],
  ["tree", "tree -ao ../x"],
  ["man", "man -P ./evil ls"],
  ["man", "man -P./evil ls"],
  ["tar", "tar cf x.tar --checkpoint=1 --checkpoint-action=exec=./evil a"],
  ["tar", "tar xf x.tar --to-command=./evil"],
  ["tar", "tar -I ./evil -cf x.tar a"],
  ["tar", "tar cIf ./evil x.tar a"],
  ["npm test", "npm test --script-shell=./evil"],
  ["npm test", "npm test --script-s=./evil"],
  ["npm test", "npm test --prefix ../outside"],
  ["npm test", "npm test --prefix=/outside"],
  ["go test", "go test -exec ./evil ./..."],
  ["go test", "go test --exec=./evil ./..."],
  ["go build", "go build -ldflags=-extld=./evil"],
  ["cargo test", "cargo test --config target.x.runner"],
  ["timeout", "timeout 5 sort -o x a"],
  ["sort", "timeout 5 sort -o x a"],
];

test.each(running)(
  "a star in Bash(%s *) runs no program and writes no file: %s",
  (rule, command) => {
    const country = makeCountry({ "project/a": "a\n" });
    expect(verdictOf(command, country, { rules: [`allow Bash(${rule} *)`] })).toBe("ask");
  },
);

test.each(running.filter(([, command]) => !/[$|]|timeout/.test(command)))(
  "a rule for the whole text covers what Bash(%s *) does not: %s",
  (_, command) => {
    const country = makeCountry({ "project/a": "a\n" });
    expect(verdictOf(command, country, { rules: [`allow Bash(${command})`] })).toBe("allow");
  },
);

test.each([
  ["git", "git add -A && git commit -m 'a message' && git push -u origin main"],
  ["git commit", `git commit -m "$(cat a)"`],
  ["git fetch", "git fetch --all --prune"],
  ["git push", "git push origin HEAD:refs/heads/x --force-with-lease"],
  ["git clone", "git clone --depth 1 https://example.com/x.git"],
  ["git flow", "git flow feature start x"],
  ["git config", "git config user.name x"],
  ["git grep", "git grep -n x -- src"],
  ["rg", "rg -n --hidden --pretty x src"],
  ["rg", "rg -ep -- a"],
  ["sort", "sort -to -k2 -u a"],
  ["sort", "sort -- a -o"],
  ["tree", "tree -L 2 -I node_modules"],
  ["tar", "tar czf x.tgz src"],
  ["tar", "tar -czf x.tgz -C src ."],
  ["npm test", "npm test -- --prefix ../x"],
  ["npm test", "npm test --prefix web/app"],
  ["npm install", "npm install --save-dev x"],
  ["npm test", "ls | xargs npm test"],
  ["go build", "go build -o bin/x -ldflags '-s -w -X main.version=1' ./cmd/x"],
  ["go test", "go test -run TestExec -v ./..."],
  ["go test", `go test "./$package"`],
])("a star in Bash(%s *) covers everyday arguments: %s", (rule, command) => {
  const rules = [`allow Bash(${rule} *)`, "allow Bash(cat *)", "allow Bash(ls *)"];
  expect(verdictOf(command, makeCountry({ "project/a": "a\n" }), { rules })).toBe("allow");
});

test("the output of git log goes where a rule for edits lets it, as by a redirection", () => {
  const country = makeCountry({ "project/docs/a": "a\n" });
  const rules = ["allow Bash(git log *)", "allow Edit(docs/**)"];
  for (const to of ["--output=", "--output ", "> "]) {
    expect(verdictOf(`git log -1 ${to}../outside/x`, country, { rules }), to).toBe("ask");
    expect(verdictOf(`git log -1 ${to}docs/x`, country, { rules }), to).toBe("allow");
    expect(verdictOf(`git log -1 ${to}docs/x`, country, { rules: rules.slice(0, 1) }), to).toBe(
      "ask",
    );
  }
  expect(
    verdictOf("git log -1 --output=../outside/x", country, {
      rules: ["allow Bash(git log -1 --output=../outside/x)"],
    }),
  ).toBe("allow");
});

test("an agent that is confined to git log writes no file by an option of it, in any mode", () => {
  const confined = [{ tools: ["Bash"], rules: ["Bash(git log *)"] }];
  const verdict = (command: string): string =>
    verdictOf(command, makeCountry(), { mode: "bypassPermissions", policy: { confined } });
  expect(verdict("git log -1")).toBe("allow");
  expect(verdict("git log -1 --output=x")).toBe("deny");
});

test("the question says that the star of a rule does not cover the arguments", () => {
  const call = { tool: "Bash", input: { command: "sort -o x a" } };
  const { reason, suggestions } = decisionOf(call, makeCountry(), {
    rules: ["allow Bash(sort *)"],
  });
  expect(reason).toBe(
    "'sort -o x a' needs approval: the star in 'Bash(sort *)' does not cover arguments that may run a program or write a file.",
  );
  expect(suggestions).toEqual(["Bash(sort -o x a)"]);
});

import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { PermissionMode } from "../src/contract/resolved-agent.ts";
import { decisionOf, makeCountry, verdictOf } from "./support/verdict.ts";

// Commands that were once allowed although bash ran, read or wrote something else than what they seemed to say. `evil` stands
// for any program, `.env` for a file that a rule denies.

const continued = "\\\n";

const smuggled: Readonly<Record<string, readonly string[]>> = {
  "a process substitution behind a digit or a descriptor": [
    "cat 0<(evil)",
    "echo 1>(evil)",
    "cat {fd}<(evil)",
  ],
  "text glued to an array": ["a=($(evil))x", "a+=(`evil`)''", "a[0]=($(evil))x"],
  "quotes that quote nothing in a here-document": ["cat <<EOF\n${y:-'$(evil)'}\nEOF"],
  "quotes that quote nothing in an expansion": [
    `echo "\${y:-$'$(evil)'}"`,
    `[[ a == "\${y:-$'$(evil)'}" ]]`,
    `x="\${y:-$'$(evil)'}"`,
  ],
  "quotes that are stripped before the expansion": [
    'echo "${x:-"$\\(evil)"}"',
    'echo "${x:-"$""(evil)"}"',
    'cat <<E\n${x:-$""(evil)}\nE',
  ],
  "a continuation behind a dollar": [
    `x='a[$(evil)]'; echo $${continued}[x]`,
    `x='a[$(evil)]'; echo "$${continued}((x))"`,
    `x='$(evil)'; echo $${continued}{x@P}`,
    `x='a[$(evil)]'; echo $${continued}{HOME:x}`,
    `cat $${continued}'../f'`,
    `cat "$${continued}HOME"/f`,
  ],
  "a comment in a here-document": [`cat <<E\n$(echo #${continued} )\nevil\n)\nE`],
  "an escape that ends a string": [
    "cat $'.env\\x{'",
    "cat $'sub\\x{/y/y/y'/../../../../etc/passwd",
    "echo a > $'.git\\x{'/config",
    "$'ev\\x{'il x",
  ],
  "a program behind a closed descriptor": ["<&-evil", ">&-evil", "2>&-./evil"],
  "braces that only bash expands": ["cat {a},/etc/passwd}", "cat {a},.env}", "rm {a},../x}"],
  "markers of bash itself": [
    "cat {\u0001a,../f}",
    "echo x >& .gi\u007Ft/config",
    `echo x >& "''.git/config"`,
  ],
  "builtins that evaluate their arguments": [
    `echo \${${continued}x:-$(evil)}`,
    "echo ${HOME~/$(evil)/b}",
    "x='a[$''(evil)]'; echo $((x))",
    `x='a[$(evil)]'; echo $(${continued}(x))`,
    "test -v 'a[$(evil)]'",
    "let 'a[$(evil)]'",
    "read 'a[$(evil)]' < f",
    "printf -v 'a[$(evil)]' x",
    "declare 'a[$(evil)]=1'",
    "declare -n x='a[$(evil)]'; x=1",
    "unset 'a[$(evil)]'",
    "RANDOM='a[$(evil)]'",
    "[ -v 'a[$(evil)]' ]",
    "wait -n -p 'a[$(evil)]'",
    "source NAME",
  ],
  "a word that swallows what follows": ["c[ t <<EO\n ]$(evil)\nEO", "x[01>][x]=$(evil)"],
  "an assignment that appends": ["x+=1 evil", "x+=1; evil"],
};

const hostile = Object.entries(smuggled).flatMap(([symptom, commands]) =>
  commands.map((command) => [symptom, command] as const),
);
const modes: readonly PermissionMode[] = [
  "default",
  "plan",
  "dontAsk",
  "acceptEdits",
  "bubble",
  "auto",
];

test.each(hostile)("no command runs unasked through %s: %j", (_, command) => {
  const country = makeCountry({ "project/.env": "k\n", "project/.git/config": "" });
  for (const mode of modes) {
    for (const rules of [[], ["allow Edit"], ["allow Bash(echo *)", "allow Bash(cat *)"]])
      expect(verdictOf(command, country, { mode, rules }), mode).not.toBe("allow");
  }
});

test.each(hostile)("no command passes a deny rule through %s: %j", (_, command) => {
  const country = makeCountry({ "project/.env": "k\n" });
  const rules = ["allow Bash", "deny Bash(evil *)", "deny Read(.env)"];
  for (const mode of [...modes, "bypassPermissions"] as const)
    expect(verdictOf(command, country, { mode, rules }), mode).not.toBe("allow");
});

test("an opaque command is allowed under bare Bash as long as nothing is forbidden", () => {
  const country = makeCountry();
  const command = "echo $((1 + 1))";
  const allow = "allow Bash";
  expect(verdictOf(command, country)).toBe("ask");
  expect(verdictOf(command, country, { rules: ["allow Bash(echo *)"] })).toBe("ask");
  expect(verdictOf(command, country, { rules: [allow] })).toBe("allow");
  for (const rule of [
    "deny Bash(x)",
    "ask Bash(x *)",
    "deny Read(.env)",
    "ask Edit(a)",
    "deny Write(b)",
  ])
    expect(verdictOf(command, country, { rules: [allow, rule] }), rule).toBe("ask");
  expect(verdictOf(command, country, { rules: [allow, "deny WebFetch"] })).toBe("allow");
  expect(verdictOf(command, country, { rules: [allow, "deny Bash(echo *)"] })).toBe("deny");
});

test.each(["rm $'a'", "echo $((1)); rmdir x", "x() { r''m a; }; x"])(
  "%s may remove anything, so every mode and rule asks",
  (command) => {
    const country = makeCountry();
    expect(verdictOf(command, country, { rules: ["allow Bash"] })).toBe("ask");
    expect(verdictOf(command, country, { mode: "bypassPermissions" })).toBe("ask");
  },
);

const elsewhere = {
  "project/file": "a\n",
  "project/src/link": "-> outside/secret",
  "project/dash/-R": "",
  "project/dash/link": "-> outside",
  "outside/secret": "s\n",
};

test.each([
  ["cut reads files", "cut -c1-9 ../outside/secret"],
  ["cut reads files", "cut -d: -f1 ~/.ssh/id"],
  ["a dash is a pattern", "grep - ../outside/secret"],
  ["a dash is a pattern", "grep -v - /etc/passwd"],
  ["a name looks like an option", "cd dash && grep x *"],
  ["a link leads out", "cat src/*"],
  ["names outside", "echo ~/.ssh/*"],
  ["names outside", "printf '/etc\\0' | du -a --fi=-"],
  ["names outside", "printf '/etc\\0' | wc --fi=-"],
  ["names outside", "ls -RL"],
  ["names outside", "du -aL"],
  ["names outside", "test -e /etc/shadow"],
  ["names outside", "[ -f ~/.ssh/id ]"],
  ["the environment", "set"],
] as const)("%s: %s needs approval", (_, command) => {
  for (const mode of ["default", "plan", "acceptEdits"] as const)
    expect(verdictOf(command, makeCountry(elsewhere), { mode })).toBe("ask");
});

test("a file whose name is no UTF-8 may be a link to anywhere", () => {
  const country = makeCountry({ "project/src/a": "", "project/lib/a": "" });
  writeFileSync(
    Buffer.concat([Buffer.from(join(country.project, "src/")), Buffer.from([0xff])]),
    "",
  );
  expect(verdictOf("cat src/*", country)).toBe("ask");
  expect(verdictOf("cat lib/*", country)).toBe("allow");
});

test("git needs approval in a folder that is not trusted, whose configuration names programs", () => {
  const country = makeCountry({ "project/.git/config": "[core]\n\tfsmonitor = evil\n" });
  for (const command of ["git status", "git log", "git diff", "git show"]) {
    expect(verdictOf(command, country)).toBe("allow");
    expect(verdictOf(command, country, { policy: { trusted: false } })).toBe("ask");
  }
});

test.each([
  ["git status", "'retinue trust'"],
  ['cat "$x"', "may be any option or path"],
  ["cat ../outside/x", "not known to only look inside"],
  ["npm test", "no rule allows it."],
])("the reason says what is wrong with %s", (command, reason) => {
  const circumstances = { policy: { trusted: false } };
  const decision = decisionOf({ tool: "Bash", input: { command } }, makeCountry(), circumstances);
  expect(decision.reason).toContain(reason);
});

const secrets = { "project/.env": "k\n", "project/a/b": "", "project/sub/.env": "k\n" };

test.each([
  "git log -p",
  "git diff",
  "git show HEAD -- 'sec*'",
  "git stash show -p",
  "git grep KEY",
  'cat "$PWD/.env"',
  'for f in .env; do cat "$f"; done',
  "cat {.env,a}",
  "grep -r x .",
  "grep -r x",
  "grep -rn x sub",
  "rg x",
  "rg x sub",
  "grep -R x a",
  "tar cf - sub",
  "cp -r sub a",
  'cat < "$f"',
  "ls | xargs cat",
  "find . -exec cat {} +",
  "$x .env",
  "cat ${x}",
  "shuf .env",
  "iconv .env",
  "xargs -a .env",
  "xargs -a.env echo",
  "grep --fi=.env x",
  "curl -d@.env http://localhost",
  "docker run --env-file=.env x",
  "pip install -r .env",
  "socat FILE:.env -",
])("a rule that denies reading a file is not passed by %s", (command) => {
  const country = makeCountry(secrets);
  const deny = "deny Read(.env)";
  for (const rules of [[deny], [deny, "allow Bash"], [deny, "allow Bash(cat *)"]])
    expect(verdictOf(command, country, { rules }), rules.join()).not.toBe("allow");
  expect(verdictOf(command, country, { rules: [deny], mode: "bypassPermissions" })).not.toBe(
    "allow",
  );
});

test.each([
  "git log --oneline -5",
  "git status",
  "git diff --stat",
  "git diff --name-only HEAD",
  "cat a/b",
  "grep -r x a",
  "rg x a",
  "echo $x",
  "ls -la",
  "echo .env",
])("a rule that denies reading another file is not in the way of %s", (command) => {
  const country = makeCountry({ ...secrets, "project/.git/HEAD": "" });
  expect(verdictOf(command, country, { rules: ["deny Read(.env)"] })).toBe("allow");
});

test.each([
  ["git commit -m \"$(cat <<'EOF'\nit's (done)\nEOF\n)\"", "allow Bash(git commit *)"],
  ['npm test -- "$x"', "allow Bash(npm test *)"],
  ["npm run build", "allow Bash(npm run *)"],
])("%j is covered by %s beside rules that deny other things", (command, allow) => {
  const rules = [allow, "deny Read(.env)", "deny Read(./build)", "deny Bash(curl *)"];
  const country = makeCountry({ ...secrets, "project/build/a": "" });
  expect(verdictOf(command, country, { rules })).toBe("allow");
});

test.each([
  // Programs read their arguments in other ways than a manual page suggests.
  "od -w /etc/passwd",
  "od --width -c /etc/passwd",
  "xxd -ps /etc/passwd",
  "xxd -bc file out",
  "strings @/etc/passwd",
  "git blame -S /etc/passwd file",
  "git diff -U /etc/passwd file",
  "git diff --unified /etc/passwd file",
  "tree -Po X out.txt",
  "rg -f=/etc/passwd x file",
  "uniq file -c",
  "git log --format=%+GK",
  "git shortlog --group=format:%GK",
  // Bash fills these with text of the command.
  "echo '/etc/*'; echo $_",
  'echo "x /etc/* x" $BASH_COMMAND',
  "echo $BASH_EXECUTION_STRING # /etc/*",
  // A quoted name looks like the home directory.
  "grep -r . '~' ~",
  "ls '~' ~",
  "cat '~' ~",
])("%s needs approval", (command) => {
  const country = makeCountry({ "project/file": "", "project/.git/HEAD": "" });
  expect(verdictOf(command, country)).toBe("ask");
});

test("removing the home directory is asked about, also beside a file of that name", () => {
  const mode = "bypassPermissions";
  expect(verdictOf("rm -rf '~' ~", makeCountry(), { mode })).toBe("ask");
  expect(verdictOf("rm -rf ~ '~'", makeCountry(), { mode })).toBe("ask");
});

test.each([
  "bash -eo pipefail -c 'evil x'",
  "bash -euo pipefail -c 'evil x'",
  "rbash -c 'evil x'",
  "bash /dev/./stdin <<'E'\nevil x\nE",
  "bash --debugger -c 'evil x'",
  "bash -co posix 'evil x'",
  "fish -c 'evil x'",
  "parallel 'ls; evil' ::: x",
  "setarch x86_64 evil x",
  "setpriv --no-new-privs evil x",
  "npx evil x",
  "perf stat evil x",
  "GIT_PAGER='evil x' git log",
  "set -x; PS4='$(evil)'; ls",
])("a deny rule is not passed by %j", (command) => {
  const rules = ["allow Bash", "deny Bash(evil *)"];
  expect(verdictOf(command, makeCountry(), { rules })).not.toBe("allow");
});

test("git needs approval behind a part that writes: it may have made a repository", () => {
  const country = makeCountry({ "project/.git/HEAD": "" });
  const mode = "acceptEdits";
  expect(verdictOf("git status", country, { mode })).toBe("allow");
  expect(verdictOf("mkdir -p objects refs && git status", country, { mode })).toBe("ask");
  expect(verdictOf("echo x > HEAD; git status", country, { mode })).toBe("ask");
});

test("a rule covers no program with a blank in its name", () => {
  const country = makeCountry({ "project/npm test /evil.sh": "" });
  const rules = ["allow Bash(npm test *)"];
  expect(verdictOf("'npm test /evil.sh'", country, { rules })).toBe("ask");
  expect(verdictOf("timeout 5 'npm test /evil.sh'", country, { rules })).toBe("ask");
  expect(verdictOf("npm test 'a b'", country, { rules })).toBe("allow");
});

test("a dangling link is no way to write outside", () => {
  const country = makeCountry({
    "project/a": "-> .",
    "project/notes.txt": "-> a/../../home/.vimrc",
  });
  const mode = "acceptEdits";
  expect(verdictOf("echo hi > notes.txt", country, { mode })).toBe("ask");
});

const withDash = {
  "project/-x/": "",
  "project/sub/deep/": "",
  "project/t.txt": "",
  "project/.env": "k\n",
  "project/.git/HEAD": "",
  "project/a": "-> sub/deep",
  "project/l": "-> a/../../t.txt",
};

test.each([
  "touch -- -x/../../outside/1",
  "rm -rf -- -x/../../outside/1",
  "mkdir -p -- -x/../.git/hooks",
  "mkdir -p -- -y; rm -rf -- -y/../../..",
  // What one part changes, another one has looked up before.
  "rm a; mkdir a; echo hi > l",
  "rm -r sub; touch l",
  "touch b; cat *",
])("accepted edits stay inside: %s", (command) => {
  expect(verdictOf(command, makeCountry(withDash), { mode: "acceptEdits" })).toBe("ask");
});

test("a path behind -- is a path, whatever it begins with", () => {
  const country = makeCountry(withDash);
  expect(verdictOf("cat -- -x/../.env", country, { rules: ["deny Read(.env)"] })).toBe("deny");
  expect(verdictOf("rm -rf -- -x/../../..", country, { mode: "bypassPermissions" })).toBe("ask");
});

test.each([
  "rg x --pre=./e* file",
  "grep x -Re.* .",
  "rg x -Le.* .",
  "rg x -f/etc/p* .",
  "file --magic-file=./m* f",
  "wc --files0-from=l*",
  "ls -RL?",
])("a glob that begins with a dash may be an option: %s", (command) => {
  expect(verdictOf(command, makeCountry({ "project/file": "" }))).toBe("ask");
});

test.each([
  'for x in /etc/*; do echo "$x"; done',
  "echo $PWD/../*",
  'echo "$x"/*',
  "x=/etc; echo $x/*",
  'echo ""${HOME}*',
  "hostname -d",
])("names outside the folder are not listed by %s", (command) => {
  expect(verdictOf(command, makeCountry())).toBe("ask");
});

test.each([
  "git status -v",
  "git log --binary",
  "git show --stat -U3",
  "git show --numstat --unified=3",
  "git diff --stat --binary",
  "git diff --summary --check",
  "git -c f.l diff",
  "rg --replace - l",
  "rg -A 1 x",
  "grep *",
  "grep SEC -r --include=.e*",
])("a rule that denies reading a file is not passed by an option: %s", (command) => {
  const links = { "project/.git/HEAD": "", "project/link-env": "-> project/.env" };
  const country = makeCountry({ ...secrets, ...links });
  const rules = ["deny Read(.env)"];
  expect(verdictOf(command, country, { rules })).not.toBe("allow");
  expect(verdictOf(command, country, { rules: [...rules, "allow Bash"] })).not.toBe("allow");
});

test("git that is given its configuration may run anything, for a rule that denies", () => {
  const rules = ["allow Bash", "deny Bash(evil *)"];
  const country = makeCountry();
  expect(verdictOf("git -c alias.x='!evil' x", country, { rules })).toBe("ask");
  expect(verdictOf("git -c user.name=a commit -m b", country, { rules })).toBe("allow");
});

const lost = "cat <<'E'; find .; echo -exec evil {} +\nhi\nE\n";

test.each([
  `echo "$(${lost})"`,
  "echo \"$(true <<'E'\nE\n{ cat file; echo /etc/passwd; })\"",
  "echo \"$(cat <<'E'\nhi\nE\nfind .; echo -exec evil {} +)\"",
])("separators that bash loses behind a here-document in a substitution: %j", (command) => {
  const country = makeCountry({ "project/file": "" });
  for (const mode of modes) expect(verdictOf(command, country, { mode })).not.toBe("allow");
  const rules = ["allow Bash", "deny Bash(evil *)"];
  expect(verdictOf(command, country, { rules })).not.toBe("allow");
});

test("a path that is too long to look at is asked about", () => {
  const name = "d".repeat(250);
  const command = `cd ${`${name}/`.repeat(16)}; cat link/${"x".repeat(100)}`;
  expect(verdictOf(command, makeCountry())).toBe("ask");
});

test.each([
  ["ln -s /etc x; cat x/passwd", "allow Bash(ln *)"],
  ["git checkout b; cat y/passwd", "allow Bash(git checkout *)"],
  ["/usr/bin/find . -delete", "allow Bash(/usr/bin/find *)"],
])("%s is asked about beside %s", (command, rule) => {
  expect(verdictOf(command, makeCountry(), { rules: [rule] })).toBe("ask");
});

test.each(["/usr/bin/test x -a -e /etc/shadow", "cd 'a*'; echo $PWD", "echo $DIRSTACK"])(
  "%s needs approval where bash means another thing",
  (command) => {
    expect(verdictOf(command, makeCountry({ "project/a*/": "" }))).toBe("ask");
  },
);

test.each(["find -name x -o -delete", "git stash -mx", "git checkout main"])(
  "a rule that denies changing a file is not passed by %s",
  (command) => {
    const rules = ["allow Bash", "deny Edit(kept.txt)"];
    expect(verdictOf(command, makeCountry({ "project/kept.txt": "" }), { rules })).toBe("ask");
    expect(verdictOf(command, makeCountry(), { rules: ["allow Bash", "deny Read(.env)"] })).toBe(
      "allow",
    );
  },
);

test.each([
  "cat .*/canary",
  "ls .?",
  "grep -r x .*",
  "sed '/[/p;s/]/w ../g' file",
  "jq -n env",
  "jq -n '$ENV'",
  "git -c core.pager=evil log",
  'echo "$(if true \\&; then echo x; fi)"',
])("%s needs approval on every system", (command) => {
  expect(verdictOf(command, makeCountry({ "project/file": "" }))).toBe("ask");
});

test("links that lead deeper than a path can be long lead nowhere that is known", () => {
  const name = "d".repeat(200);
  const deep = `${name}/`.repeat(15);
  const country = makeCountry({ "project/a": `-> ${deep}`, [`project/${deep}`]: "" });
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(join(country.project, deep));
  mkdirSync(`${name}/`.repeat(5), { recursive: true });
  symlinkSync(`${name}/`.repeat(5), "b");
  process.chdir(`${name}/`.repeat(5));
  symlinkSync(country.outside, "c");
  process.chdir(country.outside);
  expect(verdictOf("cat a/b/c/canary", country)).toBe("ask");
  expect(verdictOf("cat a/x", country)).toBe("allow");
});

test.each([
  "rm -rf ../*",
  "rm -rf ~/../*",
  "rm -rf ~/?*",
  "rm -rf ~/**",
  'rm -rf "$PWD"',
  'x=/; rm -rf "$x"',
  'for x in /; do rm -rf "$x"; done',
  'rm -rf "$(echo /)"',
  "echo / | xargs rm -rf",
  "choom -n 0 rm -rf /",
  `rm -rf ${Array.from({ length: 401 }, (_, at) => `a${at}`).join(" ")} /`,
  `rm -rf ${"/tmp/..".repeat(33)}`,
  'cd "$x"; rm -rf ../p',
])("no mode removes what nobody means to lose: %s", (command) => {
  expect(verdictOf(command, makeCountry(), { mode: "bypassPermissions" })).toBe("ask");
  expect(verdictOf(command, makeCountry(), { rules: ["allow Bash"] })).toBe("ask");
});

test.each([
  "git -C . push origin",
  "git --no-pager push origin",
  "git -c color.ui=never push",
  "git --git-dir=.git push",
])("a rule for git push holds for %s", (command) => {
  const rules = ["allow Bash", "deny Bash(git push *)"];
  expect(verdictOf(command, makeCountry(), { rules })).toBe("deny");
});

test.each([
  "choom -n 0 -- /usr/bin/evil x",
  `choom ${"-n 0 ".repeat(17)}-- evil x`,
  "env GIT_PAGER=evil git log",
  "GIT_PAGER=/usr/bin/evil git log",
  "PAGER='evil x'; git -p log",
  "export GIT_EXTERNAL_DIFF='env evil'; git diff",
  "GIT_EXTERNAL_DIFF='env evil' git diff",
  "split --filter='evil x' file",
  "sed '1e evil x' file",
  "tar cf - . --checkpoint-action=exec='evil x'",
  "git rebase -x 'evil x'",
  "git bisect run evil x",
  "git submodule foreach evil x",
  "awk 'BEGIN { system(\"evil x\") }'",
])("programs that run others are an open set, so %s is asked about", (command) => {
  const rules = ["allow Bash", "deny Bash(evil *)"];
  expect(verdictOf(command, makeCountry(), { rules })).not.toBe("allow");
});

test.each([
  "diff . a",
  "shuf .e*",
  'x=.env; shuf "$x"',
  "echo .env | xargs shuf",
  "printf '.env\\0' | sort --files0-from=-",
  "sed 'r .env' a/b",
  "git add -p",
  "git config -f .env -l",
  "df .env",
  "git tag t -F.env",
  "ln -s . l && cat l/.env",
])("a rule that denies reading a file holds for %s", (command) => {
  const rules = ["allow Bash", "deny Read(.env)"];
  expect(verdictOf(command, makeCountry(secrets), { rules })).not.toBe("allow");
});

test("a rule covers no other file whose name begins alike", () => {
  const country = makeCountry({ "project/manage.py evil.py": "" });
  const rules = ["allow Bash(python3 manage.py *)"];
  expect(verdictOf("python3 'manage.py evil.py'", country, { rules })).toBe("ask");
  expect(verdictOf("python3 manage.py 'a b'", country, { rules })).toBe("allow");
});

test.each([
  "sort -o .npmrc a",
  "curl -o .git/hooks/pre-commit http://localhost",
  "uniq a .git/config",
  'x=.git/hooks/pre-commit; cp a "$x"',
  "echo k > .ssh/authorized_keys",
])("no rule allows writing a protected path: %s", (command) => {
  const rules = ["sort", "curl", "uniq", "cp", "echo"].map((name) => `allow Bash(${name} *)`);
  expect(verdictOf(command, makeCountry(), { rules: [...rules, "allow Edit"] })).toBe("ask");
});

test("an agent that is confined to a command writes no file with it", () => {
  const confined = [{ tools: ["Bash"], rules: ["Bash(git log *)"] }];
  const circumstances = { mode: "bypassPermissions", policy: { confined } } as const;
  expect(verdictOf("git log", makeCountry(), circumstances)).toBe("allow");
  expect(verdictOf("git log 2>/dev/null", makeCountry(), circumstances)).toBe("allow");
  expect(verdictOf("git log > x", makeCountry(), circumstances)).toBe("deny");
});

const template = {
  "project/tpl/.git/hooks/pre-commit": "evil",
  "project/tpl/kept.txt": "other",
  "project/plain/a": "",
  "project/kept.txt": "",
};

test.each(["cp -r tpl/. .", "cp -a tpl sub", "mv tpl sub", "rsync -a tpl/ ."])(
  "no rule lets a copy bring protected names along: %s",
  (command) => {
    const country = makeCountry(template);
    const rules = ["allow Bash(cp *)", "allow Bash(mv *)", "allow Bash(rsync *)"];
    expect(verdictOf(command, country, { rules })).toBe("ask");
    expect(verdictOf(command.replaceAll("tpl", "plain"), country, { rules })).toBe("allow");
  },
);

test.each(["cp -r tpl/. .", "rsync -a tpl/ .", "cp -rT tpl ."])(
  "a rule that denies editing a file holds for a copy that brings it along: %s",
  (command) => {
    const rules = ["allow Bash", "deny Edit(kept.txt)"];
    expect(verdictOf(command, makeCountry(template), { rules })).toBe("deny");
  },
);

test("a copy of more files than can be told is asked about where it may bring protected names", () => {
  const many = Array.from({ length: 1100 }, (_, at) => [`project/big/${at}`, ""] as const);
  const country = makeCountry(Object.fromEntries(many));
  const rules = ["allow Bash(cp *)"];
  expect(verdictOf("cp -r big/. .", country, { rules })).toBe("ask");
  expect(verdictOf(`cp -r big ${country.outside}/copy`, country, { rules })).toBe("allow");
});

test.each(["cp -P out y; cat y/canary", "mv out y; cat y/canary", "patch -p1 -i x.diff; cat y/z"])(
  "a link that a part brings along leads nobody out: %s",
  (command) => {
    const country = makeCountry({ "project/out": "-> outside", "outside/canary": "" });
    const rules = ["allow Bash(cp *)", "allow Bash(mv *)", "allow Bash(patch *)"];
    expect(verdictOf(command, country, { rules })).toBe("ask");
  },
);

test("git diff is asked about only where git tracks a file that must not be read", () => {
  const country = makeCountry({ "project/.env": "TOKEN", "project/src/a": "one" });
  const git = (...words: string[]): void => {
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e", ...words], {
      cwd: country.project,
    });
  };
  git("init", "-q");
  git("add", "src");
  const verdict = (command: string): string =>
    verdictOf(command, country, {
      rules: ["deny Read(.env)", "allow Bash"],
      policy: { trusted: true },
    });
  const plain = ["git diff", "git diff --stat", "git diff -U5 -- src", "git diff src/a | head"];
  for (const command of plain) expect(verdict(command), command).toBe("allow");
  for (const command of [
    "git diff HEAD",
    "git diff --cached",
    "git diff --no-index /dev/null .env",
    "git -C . diff",
    "git --git-dir=.git diff",
    "GIT_DIR=.git git diff",
    "env GIT_DIR=.git git diff",
    "export GIT_DIR=.git; git diff",
    "git add -f .; git diff",
    "cd src && git diff",
    "git diff missing",
    "git diff -- .env",
    "git diff -Osrc/a",
    "git show",
    "git log -p",
  ])
    expect(verdict(command), command).not.toBe("allow");
  git("add", "-N", ".env");
  for (const command of ["git diff", "git diff src/a"]) expect(verdict(command)).toBe("ask");
});

const procfs = {
  "outside/canary": "",
  "project/a/canary": "",
  "project/secrets/key": "",
  "project/.env": "",
  "project/kept.txt": "",
  "project/sub/a": "-> outside",
  "project/sub/l": "-> /proc/self/cwd/a/canary",
  "project/sub/ld": "-> /proc/self/cwd/a",
};

test
  .runIf(process.platform === "linux")
  .each([
    "cd sub; cat l",
    "cd sub && cat ld/canary",
    "cd sub; grep -r . ld/",
    "cd sub; cat < l",
    "cat sub/l",
  ])("a link through a process's own directory leads nobody out: %s", (command) => {
  expect(verdictOf(command, makeCountry(procfs))).toBe("ask");
  expect(verdictOf(command, makeCountry(procfs), { mode: "acceptEdits" })).toBe("ask");
});

test
  .runIf(process.platform === "linux")
  .each([
    "cd secrets; cat /proc/self/cwd/key",
    "cd sub; cat /proc/self/cwd/../.env",
    "cd sub; cat /proc/thread-self/cwd/../secrets/key",
    "echo x > /proc/self/cwd/kept.txt",
    "tee /proc/self/cwd/../kept.txt",
    "cp kept.txt /proc/self/cwd/pre-commit",
    "cd ~ && rm -rf /proc/self/cwd/*",
    "cat /proc/self/cwd/lease.json",
    "cat /dev/fd/3",
  ])("rules and modes hold for %s", (command) => {
  const country = makeCountry(procfs);
  const rules = ["allow Bash", "deny Read(./.env)", "deny Read(secrets/**)", "deny Edit(kept.txt)"];
  expect(verdictOf(command, country, { rules })).not.toBe("allow");
});

test.runIf(process.platform === "linux")("no rule writes through a process's own directory", () => {
  const rules = ["allow Bash(cp *)", "allow Bash(cat *)"];
  const country = makeCountry(procfs);
  expect(verdictOf("cp a/canary /proc/self/cwd/pre-commit", country, { rules })).toBe("ask");
  expect(verdictOf("cp a/canary sub/l", country, { rules })).toBe("ask");
  expect(verdictOf("cat /proc/self/cwd/lease.json", country, { rules })).toBe("ask");
});

const kept = {
  "project/conf/private/key": "",
  "project/conf/kept.txt": "",
  "project/other/kept.txt": "",
  "project/m/.env": "",
  "project/plain/a": "",
};

test.each([
  ["mv conf x", "deny Read(./conf/private/**)"],
  ["mv -T conf x", "deny Read(./conf/private/**)"],
  ["mv m ../x", "deny Read(.env)"],
  ["rm -r conf", "deny Edit(./conf/kept.txt)"],
  ["mv conf x", "deny Edit(./conf/kept.txt)"],
  ["mv conf old && mv other conf", "deny Edit(./conf/kept.txt)"],
  ["cp -r other/. conf", "deny Edit(./conf/kept.txt)"],
  ["rm -rf .", "deny Edit(./conf/kept.txt)"],
])("a rule holds for a directory above what it is about: %s, %s", (command, rule) => {
  const country = makeCountry(kept);
  for (const mode of ["acceptEdits", "default"] as const) {
    const verdict = verdictOf(command, country, { mode, rules: [rule, "allow Bash"] });
    expect(verdict, mode).toBe("deny");
  }
  expect(verdictOf("mv plain x", country, { mode: "acceptEdits", rules: [rule] })).toBe("allow");
});

test.each([
  "setpriv --no-new-privs sh -c 'true; evil x'",
  "setpriv --no-new-privs sh -c 'true; e\"\"vil x'",
  "docker run x sh -c 'true; evil x'",
  "tmux new -d 'true; evil x'",
  "sqlite3 :memory: '.shell evil x'",
  "vim -es -c '!evil x'",
  "make -f /dev/stdin <<'E'\nall: ; evil x\nE",
  "at now <<'E'\nevil x\nE",
  "install -s --strip-program=evil README out",
  "wget --use-askpass=evil http://localhost",
  "MAKEFLAGS='--eval=$(shell evil x)' make",
  "GIT_SSH_COMMAND='nice evil' git fetch",
  "./renamed x",
  "ln -s /usr/bin/evil c; ./c x",
  "cp /usr/bin/evil c; ./c x",
])("a program that a rule denies is found wherever it stands: %s", (command) => {
  const country = makeCountry({ "project/renamed": "-> outside/evil", "outside/evil": "" });
  const rules = ["allow Bash", "deny Bash(evil *)"];
  expect(verdictOf(command, country, { rules })).not.toBe("allow");
});

test.each([
  "setpriv --no-new-privs sh -c 'cat .env'",
  "npx -c 'cat .env'",
  "npm exec -c 'cat .env'",
  "split --filter='cat .env' README",
  "make -f /dev/stdin <<'E'\nall: ; cat .env\nE",
  "GIT_EDITOR='cat .env' git commit --amend",
  "GIT_SSH_COMMAND='cat .env >&2;:' git fetch ssh://x/y",
  "RIPGREP_CONFIG_PATH=.env rg x README",
  "LESSOPEN='|cat .env %s' less README",
  "man -P 'cat .env' ls",
  "7z a x.7z .",
  "bsdtar cf - .",
])("a file that a rule denies is found wherever it stands: %s", (command) => {
  const rules = ["allow Bash", "deny Read(./.env)"];
  expect(verdictOf(command, makeCountry(secrets), { rules })).not.toBe("allow");
  expect(verdictOf("npx eslint .", makeCountry(secrets), { rules })).toBe("allow");
});

test.each(["cp d/* .", "mv d/* .", "cp -t . d/*", "install d/* .", "cp d/k?pt.txt ."])(
  "a rule that denies editing a file holds for a copy by a pattern: %s",
  (command) => {
    const country = makeCountry({ "project/d/kept.txt": "", "project/d/.npmrc": "" });
    const rules = ["allow Bash", "deny Edit(./kept.txt)"];
    expect(verdictOf(command, country, { rules })).toBe("deny");
  },
);

test("no rule lets a pattern bring protected names along", () => {
  const country = makeCountry({ "project/d/.npmrc": "", "project/d/a": "" });
  const rules = ["allow Bash(cp *)"];
  expect(verdictOf("cp d/.n* .", country, { rules })).toBe("ask");
  expect(verdictOf("cp d/* .", country, { rules })).toBe("allow");
});

test.each([
  'x=$HOME; rm -rf "$x"',
  "rm -rf /etc/*",
  "find / -exec rm -rf {} +",
  "find ~ -delete",
  "mv ~ /tmp/x",
  "npx -c 'rm -rf ~'",
  "setpriv --no-new-privs sh -c 'rm -rf ~'",
  "GIT_EDITOR='rm -rf ~' git commit --amend",
])("no mode lets %s run unasked", (command) => {
  expect(verdictOf(command, makeCountry(), { mode: "bypassPermissions" })).toBe("ask");
});

test.each(["find . -name '*.pyc' -delete", "mv a b", 'x=$(mktemp -d); rm -rf "$x"'])(
  "the mode bypassPermissions lets %s run",
  (command) => {
    expect(verdictOf(command, makeCountry(), { mode: "bypassPermissions" })).toBe("allow");
  },
);

test("beside a part that a rule approves, what only looks follows no links", () => {
  const country = makeCountry({ "project/a": "", "project/l": "-> project/a" });
  const rules = ["allow Bash(npm test *)"];
  expect(verdictOf("npm test --version; cat l", country, { rules })).toBe("ask");
  expect(verdictOf("npm test --version; cat a", country, { rules })).toBe("allow");
  expect(verdictOf("cat l", country, { rules })).toBe("allow");
});

test.each(["jq -n '$ ENV'", "jq -n '$ ENV.GITHUB_TOKEN'", "jq -n '$#\nENV'"])(
  "the environment is not shown unasked: %s",
  (command) => {
    expect(verdictOf(command, makeCountry())).toBe("ask");
  },
);

test.each(["retinue trust .", "npx retinue trust --revoke x", "node bin/retinue.js approve q1"])(
  "only a person says %s, whatever is allowed",
  (command) => {
    expect(verdictOf(command, makeCountry(), { rules: ["allow Bash"] })).toBe("ask");
    expect(verdictOf(command, makeCountry(), { mode: "bypassPermissions" })).toBe("ask");
    expect(verdictOf("retinue ps", makeCountry(), { rules: ["allow Bash"] })).toBe("allow");
  },
);

/** A repository that git takes for one, with a program in its configuration. */
function repositoryAt(place: string): Record<string, string> {
  return {
    [`${place}/HEAD`]: "ref: refs/heads/main\n",
    [`${place}/config`]: "[diff]\n\texternal = ./evil\n",
    [`${place}/objects/`]: "",
    [`${place}/refs/`]: "",
  };
}

test.each([
  ["a repository of its own", repositoryAt("project/in/.git")],
  ["a .git file that leads elsewhere", { "project/in/.git": "gitdir: ../evil\n" }],
  ["a .git that is a dangling link", { "project/in/.git": "-> nowhere" }],
  ["a repository without .git", repositoryAt("project/in")],
  ["a HEAD that is a dangling link", { "project/in/HEAD": "-> refs/heads/nothing" }],
  [
    "a repository among the worktrees of agents",
    repositoryAt("project/in/.claude/worktrees/.git"),
    "in/.claude/worktrees",
  ],
  ["a submodule", { "project/in/.git": "gitdir: ../.git/modules/in\n" }],
])("git needs approval where it finds %s inside a trusted folder", (_, files, at = "in/deep") => {
  const country = makeCountry({
    ...repositoryAt("project/.git"),
    ...files,
    "project/in/deep/a": "",
    "project/src/a": "",
  });
  for (const command of ["git status", "git diff", "git log -1"]) {
    for (const mode of ["default", "plan", "acceptEdits"] as const) {
      expect(verdictOf(command, country, { mode, at: "src" })).toBe("allow");
      expect(verdictOf(command, country, { mode, at })).toBe("ask");
    }
    const policy = { confined: [{ readOnly: true }] } as const;
    expect(verdictOf(command, country, { policy, at: "src" })).toBe("allow");
    expect(verdictOf(command, country, { policy, at })).toBe("ask");
  }
});

test("git needs approval where the trusted folder's own .git is none, and a repository lies above it", () => {
  const country = makeCountry({ "project/in/.git/HEAD": "", ...repositoryAt("project/.git") });
  const project = join(country.project, "in");
  const own = { ...country, project };
  expect(verdictOf("git status", own)).toBe("ask");
  mkdirSync(join(project, ".git/objects"));
  mkdirSync(join(project, ".git/refs"));
  writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  expect(verdictOf("git status", own)).toBe("allow");
});

test("git needs no approval in a linked work tree of the trusted repository", () => {
  const country = makeCountry();
  const git = (...words: string[]): void => {
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e", ...words], {
      cwd: country.project,
    });
  };
  git("init", "-q");
  git("commit", "-qm", "a", "--allow-empty");
  git("worktree", "add", "-q", ".claude/worktrees/x");
  expect(verdictOf("git status", country, { at: ".claude/worktrees/x" })).toBe("allow");
  const linked = { ...country, project: join(country.project, ".claude/worktrees/x") };
  expect(verdictOf("git status", linked)).toBe("allow");
});

test("git needs approval to show what is in a submodule, whose configuration is another one", () => {
  const country = makeCountry(repositoryAt("project/.git"));
  expect(verdictOf("git diff --submodule=diff", country)).toBe("ask");
});

const hash = "4832527e9a7b5c1d";

test.each([
  `git show -s ${hash}`,
  `git show --stat ${hash}`,
  `git show --name-only ${hash}`,
  "git show -s 'HEAD^{tree}'",
  `git show -s HEAD..${hash}`,
  "git show -s HEAD:a^0",
  "git show -s main",
  `git cat-file blob ${hash}`,
  `git cat-file -p ${hash}`,
])("a rule that denies reading a file holds for its blob: %s", (command) => {
  const country = makeCountry({ ...secrets, ...repositoryAt("project/.git") });
  const deny = "deny Read(.env)";
  for (const rules of [[deny], [deny, "allow Bash"]])
    expect(verdictOf(command, country, { rules })).toBe("ask");
  expect(verdictOf(command, country, { rules: ["allow Bash"] })).toBe("allow");
});

test.each([
  "git show --stat",
  "git show -s HEAD~2",
  "git show --name-only HEAD^2~1 -- a",
  "git show --stat HEAD~3..HEAD",
  "git show -s 'main^{commit}'",
  "git show -s main^0",
  "git ls-files -s",
  "git ls-tree -r HEAD",
  "git log --oneline main",
  "git branch -vv",
  "git branch --show-current",
  "git remote -v",
])("a rule that denies reading a file is not in the way of %s", (command) => {
  const country = makeCountry({ ...secrets, ...repositoryAt("project/.git") });
  expect(verdictOf(command, country, { rules: ["deny Read(.env)"] })).toBe("allow");
});

test.each([
  "git add -i",
  "git add -e",
  "git add -ui",
  "git add --interactive",
  "git add --int",
  "GIT_EDITOR=cat git add --edit",
  "git commit --interactive",
  "git commit -p",
  "git commit -av",
  "git checkout -p",
  "git restore --patch",
  "git reset -qp",
  "git stash push -p",
  "git stash show",
  "git for-each-ref --format='%(raw)'",
  "git for-each-ref --format '%(*raw)'",
  "git tag -l --format='%(raw)' t",
  "git branch --format='%(contents)'",
  'git tag --format="$x"',
  "git fsck --lost-found",
  "git clone -q . w",
  "git clone ../project w",
  "git worktree add w",
  "git --work-tree=w checkout -f",
  "git --work-tree w checkout -f",
  "git checkout-index -a --prefix=w/",
  "git -C w checkout main",
  "git -C w pull .. main",
  "git fetch ../other main",
  "git submodule add ./ w",
  "git archive HEAD",
  "git notes add -C 48325272",
  "git rebase --show-current-patch",
  "git apply x.patch",
  "git am x.mbox",
  "git update-index --add --cacheinfo 100644,48325272,w.txt",
  "git cherry-pick -X subtree=w HEAD~1",
  "git --work-tree=sub blame key",
  "git check-ignore -v a",
  'git blame ./"$x"',
  'git commit --allow-empty -F "$x"',
  'git commit --allow-empty --file="$x"',
  'git add "$x"',
])(
  "a rule that denies reading a file is not passed by git that shows or copies it: %s",
  (command) => {
    const country = makeCountry(secrets);
    const rules = ["deny Read(./.env)", "allow Bash"];
    expect(verdictOf(command, country, { rules })).toBe("ask");
    expect(
      verdictOf(command, country, { rules: rules.slice(0, 1), mode: "bypassPermissions" }),
    ).toBe("ask");
  },
);

const usual = [
  "git add -A",
  "git add -u src",
  'git commit -am "$message"',
  'git commit --message="$message"',
  "git commit --amend --no-edit",
  "git push -u origin HEAD",
  "git push --force origin feature/x",
  'git push origin feature/"$x"',
  'git checkout -b "$x"',
  "git merge -X theirs main",
  "git fetch --all --prune",
  "git pull --rebase origin main",
  "git checkout -b feature/x",
  "git checkout -- a/b",
  "git switch -c feature/x",
  "git restore --staged a/b",
  "git reset --hard HEAD~1",
  "git merge --no-ff -m x feature/x",
  "git rebase -i --autosquash main",
  "git rebase --continue",
  "git cherry-pick -x abc123",
  "git stash push -u -m wip",
  "git stash pop",
  "git clean -fdx",
  "git tag -a v1 -m x",
  "git branch -D feature/x",
  "git remote add origin git@example.com:x/y.git",
  "git clone --depth 1 https://example.com/x/y.git",
  "git rm -r --cached a",
  "git log --oneline --graph --all -20",
  "git diff --stat HEAD~1",
  "git rev-parse --abbrev-ref HEAD",
  "git --version",
];

test.each(usual)("rules that deny other things are not in the way of %s", (command) => {
  const rules = ["allow Bash", "deny Read(./.env)", "deny Bash(evil *)", "deny Bash(rm *)"];
  expect(verdictOf(command, makeCountry(secrets), { rules })).toBe("allow");
});

test.each([
  "git clone -u evil . w",
  "git clone --upload-pack=evil . w",
  "git clone --config=core.fsmonitor=evil . w",
  "git clone -ccore.sshCommand=evil ssh://x/y w",
  "git clone --config core.sshCommand=evil ssh://x/y w",
  "git clone ext::evil w",
  "git fetch --upload-p=evil origin",
  "git push --receive-pack=evil origin",
  "git push --exec=evil origin",
  "git rebase --ex evil",
  "git rebase -xevil",
  "git merge -s evil x",
  "git bisect view evil x",
  "git bisect run evil",
  "git send-email --sendmail-cmd='evil x' f",
  "git daemon --access-hook=evil",
  "git web--browse -b evil x",
  "git difftool -x evil",
  "git --exec-path=./bin x",
  "git --shallow-file evil x",
  "git grep -Oevil x",
  "git archive --remote=x --exec=evil HEAD",
  "git config core.fsmonitor evil",
  "git config --global alias.x '!evil'",
  "git config --rename-section a alias",
  "git -c alias.x='!evil' x",
  "git x",
  "git init --template=t",
  'git push origin "$x"',
  "git-clone -u evil . w",
])("git may run a program that a rule denies: %s", (command) => {
  const rules = ["allow Bash", "deny Bash(evil *)"];
  expect(verdictOf(command, makeCountry(), { rules })).not.toBe("allow");
  expect(verdictOf(command, makeCountry(), { rules: ["allow Bash"] })).toBe("allow");
});

test.each(["git config user.name x", "git config --get core.pager", "git config core.pager"])(
  "a rule that denies a program is not in the way of %s",
  (command) => {
    const rules = ["allow Bash", "deny Bash(evil *)"];
    expect(verdictOf(command, makeCountry(), { rules })).toBe("allow");
  },
);

test.each([
  ["git-push o", "deny"],
  ["/usr/lib/git-core/git-push o", "deny"],
  ["env git-push o", "deny"],
  ["git send-pack o", "ask"],
  ["git subtree push o", "ask"],
  ["git lfs push o", "ask"],
  ["git http-push o", "ask"],
  ["git --shallow-file x push", "ask"],
])("a rule for git push holds for its other names: %s", (command, verdict) => {
  const rules = ["allow Bash", "deny Bash(git push *)"];
  expect(verdictOf(command, makeCountry(), { rules })).toBe(verdict);
});

test.each([
  "git config --file kept.txt a.b c",
  "git config -f kept.txt a.b c",
  "git config -fkept.txt a.b c",
  "git merge-file kept.txt b a",
  "git bundle create kept.txt HEAD",
  "git clone . kept.txt",
  "git clone https://example.com/x kept.txt",
  "git worktree add kept.txt",
  "git init kept.txt",
  "git archive --output=kept.txt HEAD",
  "git --shallow-file x bundle create kept.txt HEAD",
])("a rule that denies editing a file holds for git that is given its name: %s", (command) => {
  const country = makeCountry({ "project/kept.txt": "" });
  const rules = ["allow Bash", "deny Edit(kept.txt)"];
  expect(verdictOf(command, country, { rules })).toBe("deny");
  const allow = ["allow Bash(git *)"];
  const shielded = command.replaceAll("kept.txt", ".git/config");
  expect(verdictOf(shielded, country, { rules: allow })).toBe("ask");
});

test("a rule that denies editing a file is not in the way of storing it", () => {
  const country = makeCountry({ "project/kept.txt": "" });
  const rules = ["allow Bash", "deny Edit(kept.txt)"];
  for (const command of ["git add kept.txt", "git commit -m x kept.txt"])
    expect(verdictOf(command, country, { rules })).toBe("allow");
});

test.each(["git lfs pull", "git bisect good"])(
  "a rule that denies editing a file is not passed by git that checks out others: %s",
  (command) => {
    const rules = ["allow Bash", "deny Edit(kept.txt)"];
    expect(verdictOf(command, makeCountry({ "project/kept.txt": "" }), { rules })).toBe("ask");
  },
);

test("git needs approval where a submodule is a repository that somebody brought along", () => {
  const country = makeCountry({ "project/in/a": "", "outside/a": "" });
  const git = (cwd: string, ...words: string[]): void => {
    const settings = ["user.name=n", "user.email=e", "protocol.file.allow=always"];
    execFileSync("git", [...settings.flatMap((one) => ["-c", one]), ...words], {
      cwd,
      stdio: "ignore",
    });
  };
  const { project, outside } = country;
  for (const cwd of [outside, join(project, "in"), project]) {
    git(cwd, "init", "-q");
    git(cwd, "commit", "-qm", "a", "--allow-empty");
  }
  git(project, "submodule", "add", outside, "kept");
  expect(verdictOf("git status", country)).toBe("allow");
  expect(verdictOf("git status", country, { at: "kept" })).toBe("ask");
  for (const version of ["2", "4"]) {
    git(project, "update-index", "--index-version", version);
    git(project, "add", "in");
    expect(verdictOf("git status", country)).toBe("ask");
    git(project, "rm", "-qf", "--cached", "in");
    expect(verdictOf("git status", country)).toBe("allow");
  }
});

test.each([
  "sed 's/[]/x/p;s|]/id>PWNED #/e#|x|' in.txt",
  "sed -n 's/[]/x/p;s|]/R/w out|x|' in.txt",
  "sed 's/[^]/x/p;s|]/id #/e#|x|' in.txt",
  "sed 's/[[:x:]/p;s|]/id #/e#|x|' in.txt",
])("a bracket of sed hides no command: %s", (command) => {
  const country = makeCountry({ "project/in.txt": "" });
  expect(verdictOf(command, country)).toBe("ask");
  expect(verdictOf("sed -n 's/[0-9]//p' in.txt", country)).toBe("allow");
});

test.each(["find -H ')' -ls", "find -H , -ls", "rg --no-config hello", "rg hello *"])(
  "%s asks, because a name may be what it is not",
  (command) => {
    const country = makeCountry({ "project/)": "-> outside", "project/,": "-> outside" });
    expect(verdictOf(command, country)).toBe("ask");
  },
);

test("what a rule allows below the folder is not where the folder's links lead", () => {
  const country = makeCountry({ "project/docs": "-> home/.ssh", "home/.ssh/id": "" });
  const rules = ["allow Read(docs/**)", "allow Edit(docs/**)"];
  const path = join(country.project, "docs/id");
  for (const tool of ["Read", "Write"])
    expect(decisionOf({ tool, paths: [path] }, country, { rules }).verdict).toBe("ask");
});

test.each([
  'x=rc; cp README ".npm${x}"',
  "x=it; cp README .g$x/hooks/pre-commit",
  "x=rc; cp README ~/.bash$x",
  'cp README ".npm$(echo rc)"',
  "for x in rc; do cp README .npm$x; done",
  'x=.npmrc; cp README "$x"',
  "cp -b -S rc README .npm",
  "cp --parents .vscode/tasks.json ..",
  "x=aude; z=ust; cp f.json ~/.cl$x/retinue/tr$z/x.json",
])("no rule lets a variable or an option hide a protected name: %s", (command) => {
  const rules = ["allow Bash(cp *)"];
  expect(verdictOf(command, makeCountry(), { rules })).not.toBe("allow");
  expect(verdictOf('cp README "$f.bak"', makeCountry(), { rules })).toBe("allow");
});

test.each([
  ["find sub/x -execdir cat ../.env ';'", "deny Read(./.env)"],
  ["env -iC sub cat ../.env", "deny Read(./.env)"],
  ["env --chd=sub cat ../.env", "deny Read(./.env)"],
  ["unshare --wd=sub cat ../.env", "deny Read(./.env)"],
  ["npx -c 'cd sub; cat ../.env'", "deny Read(./.env)"],
  ["gzip -rc .", "deny Read(./.env)"],
  ["rgrep X .", "deny Read(./.env)"],
  ["sed 'R .env' README", "deny Read(./.env)"],
  ["sed '1r.env' README", "deny Read(./.env)"],
  ["sed '1rsecrets/key' README", "deny Read(secrets/**)"],
  ["jq -nc 'import \"./secrets/k\" as $k; $k'", "deny Read(secrets/**)"],
  ["sed '1eevil --version' README", "deny Bash(evil *)"],
  ["sed 's/r/b/wkept.txt' README", "deny Edit(kept.txt)"],
  ["sed -i.txt p kept", "deny Edit(kept.txt)"],
  ["cp -b -S .txt README kept", "deny Edit(kept.txt)"],
  ["curl -sokept.txt http://localhost", "deny Edit(kept.txt)"],
  ["gunzip -f kept.txt.gz", "deny Edit(kept.txt)"],
  ["echo 'evil x' > s.sh; sh s.sh", "deny Bash(evil *)"],
  ["socat -u EXEC:'evil --version' -", "deny Bash(evil *)"],
])("a rule that denies holds for %s, %s", (command, rule) => {
  const country = makeCountry({ ...secrets, "project/secrets/key": "", "project/sub/x": "" });
  expect(verdictOf(command, country, { rules: ["allow Bash", rule] })).not.toBe("allow");
});

test("a file of the folder by a URL is that file", () => {
  const country = makeCountry(secrets);
  const rules = ["allow Bash", "deny Read(./.env)"];
  for (const name of [".env", "%2eenv"]) {
    const command = `curl file://localhost${country.project}/${name}`;
    expect(verdictOf(command, country, { rules })).not.toBe("allow");
  }
});

test("what runs on while others move its directory goes up by no relative path", () => {
  const country = makeCountry({ "project/deep/a/x": "", "project/deep/b": "" });
  const at = "deep/a";
  const call = (command: string, more: object = {}): string =>
    decisionOf({ tool: "Bash", input: { command, ...more } }, country, {
      at,
      mode: "acceptEdits",
    }).verdict;
  expect(call("cat ../b")).toBe("allow");
  expect(call("cat ../b", { run_in_background: true })).toBe("ask");
  expect(call("( sleep 2; cat ../b ) & true")).toBe("ask");
  expect(call("cat x", { run_in_background: true })).toBe("allow");
});

test("no rule that is suggested is more than one", () => {
  const { suggestions } = decisionOf(
    { tool: "Bash", input: { command: "make 'x),Bash,Read(y'" } },
    makeCountry(),
  );
  expect(suggestions).toEqual([]);
});

test("behind a wrapper, time is a program of its own", () => {
  const rules = ["allow Bash(good *)"];
  for (const command of ["command -p time good x", "nice time good x"])
    expect(verdictOf(command, makeCountry(), { rules })).toBe("ask");
  expect(verdictOf("time -p good x", makeCountry(), { rules })).toBe("allow");
});

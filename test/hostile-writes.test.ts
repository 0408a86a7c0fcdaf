import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decisionOf, makeCountry, verdictOf } from "./support/verdict.ts";

// Commands that once wrote, read or ran what a rule is about, by options and names that no table knows.

const files = {
  "project/.env": "k\n",
  "project/README": "",
  "project/kept.txt": "",
  "project/src/a": "",
  "project/.claude/x": "",
  "project/.vscode/settings.json": "",
  "project/manage.py": "",
};

/** The rule that covers a command by the name of its program alone. */
function ruleFor(command: string): string {
  return `allow Bash(${command.slice(0, command.indexOf(" "))} *)`;
}

test.each([
  "sort --outp=.npmrc README",
  "sort --o .mcp.json README",
  "xxd -r README .npmrc",
  "shuf --ou=.npmrc README",
  "openssl rand -out .npmrc 3",
  "openssl rand -out ~/.bashrc 3",
  "zip .npmrc README",
  "tar cf .npmrc README",
  "curl -D .npmrc http://h",
  "curl --libcurl .npmrc http://h",
  "wget --save-cookies=.npmrc http://h",
  "wget -qP.vscode http://h",
  "gcc -MF .npmrc -MD a.c",
  "tsc --outDir .vscode",
  "npm pack --pack-destination .vscode",
  "csplit -f .npmr README 1",
  "split --additional-suffix=rc README .np",
  "gunzip .npmrc.gz",
  "sed -n '1w .git/hooks/pre-commit' README",
  "sed -n '1w.npmrc' README",
  "sed -irc p .npm",
  "awk '{print > \".npmrc\"}' README",
  "git clone https://h/.vscode.git",
  "git clone h:.husky",
  "git submodule add https://h/.vscode.git",
  "git diff --outpu=.npmrc",
])("no rule lets an unknown option write a protected file that is not there yet: %s", (command) => {
  expect(verdictOf(command, makeCountry(files), { rules: [ruleFor(command)] })).toBe("ask");
});

test.each([
  "cd .claude; shuf --ou=settings.local.json ../README",
  "cd ~/.claude; shuf --ou=settings.json README",
  "cd ~; openssl rand -hex -out .zshrc 3",
  "cd ..; cd home; openssl rand -hex -out .bashrc 3",
  'openssl rand -out "$PWD/.npmrc" 3',
  "x=.npmrc; openssl rand -out $x 3",
  'for f in .npmrc; do openssl rand -out "$f" 3; done',
  "env -C .claude shuf --ou=settings.json README",
  "sh -c 'openssl rand -out .npmrc 3'",
  "timeout 5 openssl rand -out .npmrc 3",
  "sed 's/a/b/w .npmrc' README",
  "vim -es -c 'w! .npmrc' -c q README",
])("a protected file is seen from the directory that a line changes to: %s", (command) => {
  expect(verdictOf(command, makeCountry(files), { rules: ["allow Bash"] })).toBe("ask");
});

test.each([
  "tar --exclude=.git -czf x.tgz .",
  "rsync -a --exclude .git src ../b",
  "timeout 60 git --git-dir=.git status",
  "PATH=~/.cargo/bin:$PATH cargo build",
  "gh pr create --body 'see .git and .npmrc'",
  "sed -i 's/.git/x/' README",
  "fd -H -E .git x",
  "git clone https://h/x.git",
  "cat .npmrc",
])("a protected name that is only mentioned is not in the way of %s", (command) => {
  expect(verdictOf(command, makeCountry(files), { rules: ["allow Bash"] })).toBe("allow");
});

test("inside a protected directory a plain word is no file", () => {
  const at = ".claude";
  expect(verdictOf("pytest fast", makeCountry(files), { rules: ["allow Bash"], at })).toBe("allow");
  expect(verdictOf("pytest x", makeCountry(files), { rules: ["allow Bash"], at })).toBe("ask");
});

test.each([
  "openssl rand -hex -out new.txt 3",
  "xxd -r README new.txt",
  "shuf --ou=new.txt README",
  "zip new.txt README",
  "tar cf new.txt README",
  "script new.txt",
  "ssh-keygen -f new.txt",
  "mktemp new.txt",
  "sqlite3 new.txt",
])("a rule that denies editing holds for a file that is not there yet: %s", (command) => {
  const rules = ["allow Bash", "deny Edit(new.txt)"];
  expect(verdictOf(command, makeCountry(files), { rules })).toBe("ask");
});

test.each([
  "npm run build",
  "npm --silent run build",
  "npx eslint src",
  "pytest tests",
  "make build",
  "cargo build",
  "docker compose up -d",
  "python3 manage.py migrate",
  "gzip -dc x.gz",
  "gzip -k README",
  "xz -dc x.xz",
  "curl -sSL https://h/x",
  "curl -fsSL -o out.txt https://h/x",
  "curl -X POST -d '{}' https://h/Ox",
  "wget -qO- https://h/x",
  "wget -q -O out https://h/x",
  "ar rcs x.a y.o",
  "npm i @types/node",
  "gcc a.c -o a",
  "awk '{print $1}' README",
  "gsed -n 1p README",
  "zip -r x.zip src",
])("rules that deny other files are not in the way of %s", (command) => {
  const rules = [
    "allow Bash",
    "deny Read(.env)",
    "deny Edit(build/**)",
    "deny Edit(src/**)",
    "deny Edit(kept.txt)",
  ];
  expect(verdictOf(command, makeCountry(files), { rules })).toBe("allow");
});

test.each([
  "gzip -df kept.txt.gz",
  "gzip kept.txt",
  "gzip -S .txt kept",
  "gzip -d -S -c kept-c",
  "gzip -df -- kept.gz -c",
  "unzip -P -l y",
  "ar -v -x y",
  "7z -y x y",
  "wget --header -O http://h/kept.txt",
  "xz -dkf kept.txt.xz",
  "xz -S .txt kept",
  "bzip2 -d x",
  "zstd -d x",
  "lz4 -d x",
  "unlzma x",
  "uudecode x",
  "ar x x.a",
  "7z x y",
  "jar xf y",
  "bsdtar xf y",
  "gtar -xf y",
  "pax -r",
  "unrar x y",
  "rename x kept x.txt",
  "prename s/a/b/ README",
  "curl -OJ http://h/x",
  "curl -sSfLO http://h/x",
  "curl -O 'http://h/kept.txt?x=1'",
  "curl -o 'kept.#1' 'http://h/{txt}'",
  "curl --output-dir d -o ../kept.txt http://h/x",
  "curl -sKcc",
  "wget -r -nd http://h",
  "wget -i x",
  "wget --content-disposition http://h",
  "rsync -a h:d/ .",
  "scp -r h:d .",
  "git clone h:kept.txt",
  "git clone https://h/kept.txt.git",
])("a rule that denies editing holds for names that a program makes: %s", (command) => {
  const rules = ["allow Bash", "deny Edit(kept.txt)"];
  expect(verdictOf(command, makeCountry(files), { rules })).not.toBe("allow");
});

test.each([
  "patch -p1 -i p.diff",
  "patch -p1 < p.diff",
  "zip -q -@ x.zip < list",
  "ar r x.a @list",
  "curl -sKcc",
  "curl --config cc",
  "cpio -o < list",
  "gcc @list",
  "sed -f x README",
  "gsed -f x README",
  "gawk -f x README",
  "gawk -i x README",
  "awk -f x README",
  "soelim list",
  "m4 list",
  "xmllint --xinclude list",
  "gtar cf x.tar -T list",
  "ggrep -r x .",
])("a rule that denies reading holds for files that another file names: %s", (command) => {
  const country = makeCountry({ ...files, "project/list": "", "project/p.diff": "" });
  expect(verdictOf(command, country, { rules: ["allow Bash", "deny Read(./.env)"] })).toBe("ask");
});

const steered = [
  "GIT_WORK_TREE=../outside git checkout -f HEAD -- .",
  "env GIT_WORK_TREE=../outside git checkout -f",
  "env -i GIT_DIR=x /usr/bin/git status",
  "sudo GIT_DIR=x git status",
  "env -S 'GIT_WORK_TREE=x git checkout -f'",
  "GIT_WORK_TREE=../outside sh -c 'git checkout -f'",
  "GIT_WORK_TREE=../outside npm run checkout",
  "GIT_CONFIG_GLOBAL=gc git status -s",
  "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./c git status",
  "HOME=src git status",
  "HOME=src; git status",
  "env HOME=src git status",
  "XDG_CONFIG_HOME=src git status",
  "GIT_SSH=./c git fetch",
  "GIT_EXEC_PATH=bin git status",
  "GIT_EXTERNAL_DIFF=./x git diff --stat",
  "GIT_INDEX_FILE=x git status",
  "GIT_TRACE=/tmp/x git status",
  'GIT_PAGER="$x" git log',
];

test.each(steered)("a variable that steers git passes no rule: %s", (command) => {
  const country = makeCountry(files);
  for (const rule of ["deny Read(./.env)", "deny Bash(evil *)", "ask Edit(kept.txt)"]) {
    expect(verdictOf(command, country, { rules: ["allow Bash", rule] }), rule).toBe("ask");
    const circumstances = { rules: [rule], mode: "bypassPermissions" } as const;
    expect(verdictOf(command, country, circumstances), rule).toBe("ask");
  }
  expect(verdictOf(command, country, { rules: ["allow Bash"] })).toBe("allow");
});

test.each([
  "GIT_PAGER=cat git log --oneline",
  "GIT_EDITOR=true git rebase --continue",
  "GIT_TERMINAL_PROMPT=0 git fetch",
  "GIT_OPTIONAL_LOCKS=0 git status",
  'GIT_AUTHOR_NAME="$x" GIT_COMMITTER_DATE=2020-01-01 git commit -m x',
  "GIT_LFS_SKIP_SMUDGE=1 git pull",
  "GIT_TRACE=1 git fetch",
  "HOME=/tmp/h npm test",
  "git commit -m GIT_DIR=x",
  "echo GIT_DIR=x",
])("a rule that denies other things is not in the way of %s", (command) => {
  const rules = ["allow Bash", "deny Read(./.env)", "deny Bash(evil *)"];
  expect(verdictOf(command, makeCountry(files), { rules })).toBe("allow");
});

test("no rule lets a variable of git write a protected file", () => {
  const country = makeCountry(files);
  const rules = ["allow Bash"];
  for (const command of [
    `GIT_TRACE=${country.project}/.npmrc git status -s`,
    `GIT_TRACE2_EVENT=${country.home}/.bashrc git log -1`,
    `env GIT_TRACE=${country.project}/.npmrc git status`,
    'GIT_TRACE="$PWD/.npmrc" git status',
    "GIT_INDEX_FILE=.npmrc git status",
  ])
    expect(verdictOf(command, country, { rules }), command).toBe("ask");
});

test("a rule that denies reading a tracked file holds for where git keeps it", () => {
  const country = makeCountry({ "project/.env": "TOKEN", "project/src/a": "one" });
  const git = (...words: string[]): void => {
    execFileSync("git", words, { cwd: country.project });
  };
  git("init", "-q");
  git("add", "src");
  const rules = ["allow Bash", "deny Read(./.env)"];
  const object = ".git/objects/48/32527e9a7b5c1d";
  const commands = [
    `tail -c +3 ${object} | gzip -dc`,
    `od -An -tx1 ${object}`,
    `zlib-flate -uncompress < ${object}`,
    `cd .git/objects; cat 48/32527e9a7b5c1d`,
    `perl inflate.pl ${object}`,
    "cp -r .git ../outside/g",
    "tar cf ../x.tar .git",
    "mv .git x",
  ];
  const read = { tool: "Read", paths: [join(country.project, object)] };
  for (const command of ["od -An src/a", "git ls-files -s", "ls .git/objects"])
    expect(verdictOf(command, country, { rules }), command).toBe("allow");
  expect(verdictOf(`od -An -tx1 ${object}`, country, { rules })).toBe("allow");
  expect(decisionOf(read, country, { rules }).verdict).toBe("allow");
  git("add", ".env");
  for (const command of commands) {
    expect(verdictOf(command, country, { rules }), command).toBe("ask");
    const bypassing = { rules, mode: "bypassPermissions" } as const;
    expect(verdictOf(command, country, bypassing), command).toBe("ask");
  }
  expect(decisionOf(read, country, { rules }).verdict).toBe("ask");
  expect(verdictOf("ls .git/objects", country, { rules })).toBe("allow");
});

test.each([
  ["npm --silent publish", "npm publish *"],
  ["npm -s publish --tag x", "npm publish *"],
  ["npm --prefix x publish", "npm publish *"],
  ["npm --prefix x publish", "npm publish*"],
  ["npm --silent publish", "npm publish"],
  ["kubectl -n x delete pod y", "kubectl delete *"],
  ['kubectl -n "$x" delete pod y', "kubectl delete *"],
  ["kubectl -n $x pod", "kubectl delete *"],
  ["docker --context x push y", "docker push *"],
  ["terraform -chdir=x apply", "terraform apply *"],
  ["gh -R x/y pr merge", "gh pr merge *"],
  ["systemctl --user stop x", "systemctl stop *"],
  ["aws --profile x s3 --region y rm z", "aws s3 rm *"],
  ["cargo +nightly publish", "cargo publish *"],
  ["timeout 5 npm --silent publish", "npm publish *"],
])("an option in front of a subcommand passes no rule: %s, %s", (command, rule) => {
  for (const kind of ["deny", "ask"]) {
    const rules = ["allow Bash", `${kind} Bash(${rule})`];
    expect(verdictOf(command, makeCountry(), { rules }), kind).toBe("ask");
  }
});

test.each([
  "npm install publish",
  "npm run publish",
  "kubectl -n x get pods",
  'kubectl -n "$x" get delete',
  "git commit -m push",
  "git -c color.ui=never commit -m push",
])("a rule for a subcommand is not in the way of %s", (command) => {
  const rules = ["npm publish *", "kubectl delete *", "git push *"];
  const all = ["allow Bash", ...rules.map((rule) => `deny Bash(${rule})`)];
  expect(verdictOf(command, makeCountry(), { rules: all })).toBe("allow");
});

test.each([
  "cp /bin/rm x",
  "cp /usr/bin/git g",
  "cat /bin/rm > x",
  "ln /bin/rm x",
  "dd if=/bin/rm of=x",
  "tee x < /bin/rm",
  "install /bin/rm x",
  "cd /bin; cp rm /tmp/x",
])("a program that a rule denies gets no other name: %s", (command) => {
  const rules = ["allow Bash", "deny Bash(rm *)", "deny Bash(git push *)"];
  expect(verdictOf(command, makeCountry(files), { rules })).toBe("ask");
  for (const plain of ["ls -l /bin/rm", "cp README rm", "cp /bin/ls x"])
    expect(verdictOf(plain, makeCountry(files), { rules }), plain).toBe("allow");
});

test.each([
  "cp -l .vscode/settings.json y",
  "cp --link .vscode/settings.json y",
  "cp -fl .vscode/settings.json y",
  "cp --li -t src .vscode/settings.json",
  "cp -rl . /tmp/x",
  "cp -al .vscode /tmp/x",
  "cp -R --link . ../outside/x",
  "rsync -a --link-dest=../.vscode src ../outside/x",
  "pax -rwl .vscode /tmp/x",
])(
  "no rule lets a hard link to a protected file be made, through which a later call writes: %s",
  (command) => {
    expect(verdictOf(command, makeCountry(files), { rules: [ruleFor(command)] })).toBe("ask");
  },
);

test("a hard link to a file that a rule keeps from being edited is refused, as one by ln is", () => {
  const rules = ["allow Bash", "deny Edit(./kept.txt)"];
  const verdict = (command: string): string => verdictOf(command, makeCountry(files), { rules });
  expect(verdict("cp -l kept.txt y")).toBe(verdict("ln kept.txt y"));
  expect(verdict("cp -l kept.txt y")).toBe("deny");
  expect(verdict("cp -rl . ../outside/x")).toBe("ask");
  expect(verdict("cp kept.txt y")).toBe("allow");
});

import { expect, test } from "vitest";
import { makeCountry, verdictOf } from "../../../../test/support/verdict.ts";

const entries = {
  "project/file": "a\n",
  "project/a/b/c/": "",
  "project/-dash": "-> outside/secret",
  "project/dir/leads-out": "-> outside/secret",
  "project/other/": "",
  "project/s1": "-> outside/secret",
  "project/[x]yz": "-> outside/secret",
  "project/plain.txt": "a\n",
  "outside/secret": "s\n",
};

test.each([
  "ls -la",
  "cat file *.txt",
  'echo $x "$(pwd)"',
  "head -n 5 file",
  "head -n5 -- file",
  "grep -rn 'a b' .",
  "grep -A 3 -e x file",
  "grep /x/ file",
  "find . -name '*.ts' -newer file",
  "find -P a -type f '!' -name x",
  "wc -l < file",
  "diff file plain.txt",
  "diff -u a other",
  "sort -k1,1 -n file",
  "sed -n 1,5p file",
  "printf '%s\\n%d%%n' a 1",
  "test -f file && [ a = b ]",
  "cd a && ls",
  "sed -n -e p file",
  "printf -- a",
  "set -x",
  "git status; git log --oneline -5; git diff HEAD~1 -- file; git show HEAD:file",
  "sleep 0.5; wait %1; exit $?",
  "set -euo pipefail",
  "which node",
  "cut -d: -f1 file | tr a-z A-Z",
  "x=1; for i in a b; do echo $i; done",
  "time ls",
])("%s needs no approval", (command) => {
  expect(verdictOf(command, makeCountry(entries))).toBe("allow");
});

test.each([
  // Files elsewhere, however they are written.
  "cat /etc/passwd",
  "cat ~/.netrc",
  "cat ~root/x",
  "cat ../outside/secret",
  "cat s1",
  "cat -- -dash",
  "cat [[:alpha:]]1",
  "cat []s]1",
  "cat \\[x]y*",
  "cat *1",
  "cat < s1",
  "cat < /dev/tcp/localhost/80",
  "grep -rf/etc/passwd .",
  "grep -ex /etc/passwd",
  "grep --reg=x /etc/passwd",
  "grep -- -x s1",
  "grep --file=s1 file",
  "grep -R x .",
  "diff --from-file=s1 file",
  "diff dir other",
  "diff -r a other",
  "find -- /etc",
  "find '!x' /etc",
  "find -L .",
  "wc --files0-from=file",
  "xargs cat",
  "cat $x",
  "x='/*'; echo $x",
  "for x in '/*'; do echo $x; done",
  "echo $(printf '/*')",
  "echo ~/*",
  // Flags that run or write.
  "find . -delete",
  "find . -exec ls {} +",
  "find . -fprint x",
  "find *",
  "sort -o x file",
  "sort -ox file",
  "sort -no x file",
  "sort --outp=x file",
  "sort --compress-prog=x file",
  "sort -T . file",
  "sort *",
  "diff -l file plain.txt",
  "sed -i s/a/b/ file",
  "sed 1e file",
  "sed p *",
  // Builtins that set variables or take text for code.
  "printf -v x a",
  "printf 'a%n' PATH",
  "printf '%ln' PATH",
  "wait -p PATH",
  "test -v 'x[$(id)]'",
  "test $x",
  "set -a",
  "set -- a",
  "read x",
  "cd",
  "cd -",
  "cd ~",
  "cd /",
  "cd $x",
  "npm_config_userconfig=x; ls",
  "https_proxy=x; ls",
  "PATH=x ls",
  "LS_COLORS=x; ls",
])("%s needs approval", (command) => {
  expect(verdictOf(command, makeCountry(entries))).toBe("ask");
});

test("where rules keep files from being read, searching through directories needs approval", () => {
  const rules = ["deny Read(secrets/**)"];
  const country = makeCountry({ ...entries, "project/secrets/key": "k\n" });
  for (const command of [
    "grep -r x .",
    "grep -nr x",
    "grep -d recurse x .",
    "grep --recursive x .",
  ]) {
    expect(verdictOf(command, country)).toBe("allow");
    expect(verdictOf(command, country, { rules })).toBe("ask");
  }
  expect(verdictOf("grep x file", country, { rules })).toBe("allow");
  expect(verdictOf("grep -r x a", country, { rules })).toBe("allow");
});

test("the value of a wrapper's flag must be known, because it may be several words", () => {
  const country = makeCountry();
  const rules = ["allow Bash(npm test *)"];
  for (const wrapper of ["nice -n", "stdbuf -o", "timeout 5 nice -n"]) {
    expect(verdictOf(`${wrapper} 5 npm test`, country, { rules })).toBe("allow");
    expect(verdictOf(`x='5 rm'; ${wrapper} $x npm test`, country, { rules })).toBe("ask");
  }
  expect(verdictOf("timeout -s $x 5 npm test", country, { rules })).toBe("ask");
});

test.each([
  ["sub/HEAD", "sub/objects/", "sub/refs/"],
  ["sub/HEAD", "sub/commondir"],
  ["HEAD", "objects/", "refs/"],
])("git needs approval where it would find a repository among the files: %s", (...names) => {
  const files = names.map((name) => [`project/${name}`, ""] as const);
  const at = names[0].startsWith("sub") ? "sub" : "";
  const country = makeCountry({ "project/sub/": "", ...Object.fromEntries(files) });
  expect(verdictOf("git status", country, { at })).toBe("ask");
});

test("git needs none in a usual repository, below its root too", () => {
  const country = makeCountry({
    "project/.git/HEAD": "ref: refs/heads/main\n",
    "project/.git/objects/": "",
    "project/.git/refs/": "",
    "project/HEAD": "",
    "project/sub/": "",
  });
  expect(verdictOf("git status", country)).toBe("allow");
  expect(verdictOf("git status", country, { at: "sub" })).toBe("allow");
});

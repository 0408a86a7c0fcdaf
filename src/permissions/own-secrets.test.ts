import { join } from "node:path";
import { expect, test } from "vitest";
import {
  decisionOf,
  makeCountry,
  verdictOf,
  type Circumstances,
  type Country,
} from "../../test/support/verdict.ts";
import type { PermissionPolicy } from "../contract/resolved-agent.ts";
import { hiddenFromSearches } from "./hidden.ts";
import { rulesAlone } from "./rules/rules-alone.ts";

const session = "home/.claude/projects/-p/0f8fad5b-d9cb-469f-a165-70867728950e";
const secrets = [
  `${session}/lease.json`,
  `${session}/lease.json.AbCdEf01`,
  `${session}/inbox/q00000001.json`,
  `${session}/mail/a1.jsonl`,
  "home/.claude/retinue/grants/-p.json",
  "home/.claude/retinue/trust/-p.json",
];

function settled(): { country: Country; root: string; policy: Partial<PermissionPolicy> } {
  const country = makeCountry({
    ...Object.fromEntries(secrets.map((file) => [file, "token"])),
    [`${session}/tool-results/a.txt`]: "a",
    [`${session}.jsonl`]: "{}",
    "project/link": `-> ${session}/lease.json`,
    "project/sessions": "-> home/.claude/projects",
  });
  const own = [join(country.home, ".claude")];
  return { country, root: join(country.home, ".."), policy: { own, state: own } };
}

const wide: Circumstances[] = [
  { mode: "bypassPermissions" },
  { rules: ["allow Read", "allow Edit", "allow Bash", "allow Grep", "allow Glob"] },
  { mode: "acceptEdits", rules: ["allow Bash"] },
];

test.each(secrets)("no rule and no mode lets an agent read or write %s", (file) => {
  const { country, root, policy } = settled();
  const path = join(root, file);
  for (const circumstances of wide) {
    const about = { ...circumstances, policy };
    for (const tool of ["Read", "Grep", "Glob", "Edit", "Write"])
      expect(decisionOf({ tool, paths: [path] }, country, about), tool).toMatchObject({
        verdict: "deny",
        reason: expect.stringContaining("No agent may read or write it") as string,
      });
    for (const command of [
      `cat ${path}`,
      `head -c 9 '${path}'`,
      `echo x > ${path}`,
      `rm ${path}`,
      `ln ${path} mine`,
      `cp ${path} mine`,
      `cd ${join(path, "..")} && cat ${file.split("/").at(-1)}`,
    ])
      expect(verdictOf(command, country, about), command).toBe("deny");
  }
});

test("a link, a glob and the link of a directory lead to the same denial", () => {
  const { country, root, policy } = settled();
  for (const circumstances of wide) {
    const about = { ...circumstances, policy };
    const link = { tool: "Read", paths: [join(country.project, "link")] };
    expect(decisionOf(link, country, about).verdict).toBe("deny");
    for (const command of [
      "cat link",
      `cat ${root}/home/.claude/projects/*/*/lease.json`,
      "cat sessions/-p/*/inbox/*.json",
      "cat < link",
    ])
      expect(verdictOf(command, country, about), command).toBe("deny");
  }
});

test("an agent that works in the directory of sessions does not get at them either", () => {
  const { country, policy, root } = settled();
  const inside = {
    ...policy,
    own: [],
    cwd: join(root, session),
    directories: [join(root, session)],
  };
  const lease = { tool: "Read", paths: [join(root, session, "lease.json")] };
  expect(decisionOf(lease, country, { policy: inside }).verdict).toBe("deny");
});

test("transcripts and results are read as before", () => {
  const { country, root, policy } = settled();
  for (const file of [`${session}.jsonl`, `${session}/tool-results/a.txt`]) {
    const read = { tool: "Read", paths: [join(root, file)] };
    expect(decisionOf(read, country, { policy }).verdict, file).toBe("ask");
    const mode = "bypassPermissions" as const;
    expect(decisionOf(read, country, { policy, mode }).verdict, file).toBe("allow");
    expect(verdictOf(`cat ${join(root, file)}`, country, { policy, mode }), file).toBe("allow");
  }
});

test("a command that walks over all sessions is asked about in every mode, a list of them is not", () => {
  const { country, policy } = settled();
  const about = { policy, mode: "bypassPermissions" as const };
  expect(verdictOf("grep -r token ~/.claude/projects", country, about)).toBe("ask");
  expect(verdictOf("cp -r ~/.claude here", country, about)).toBe("ask");
  expect(verdictOf("ls ~/.claude/projects", country, about)).toBe("allow");
});

test.each([
  "ln -s ~ hm; cat hm/.cl?ude/projects/*/*/l?ase.json | base64 -w0",
  "ln -s ~ hm; cp -t hm/.cl?ude/retin?e/tr?st x.json",
  "ln -s ~ hm; cd hm; cat .c*/projects/*/*/l*",
  'ln -s ~ hm; x=.cl; cat "hm/${x}aude/x"',
  "git checkout evil; cat hm/.cl?ude/projects/*/*/l?ase.json",
  "rgrep -ho 'token.*' ~ --include='l*e.json' | base64 -w0",
  "cd ~; rgrep -ho 'token.*' .",
  "cd ~; zgrep -r token .",
  "gzip -rc ~",
  "tar cf x.tar ~",
  "jar cf x.jar -C {{R}} home",
  "python3 -m tarfile -c x2.tar {{R}}/home",
  "cd {{R}}; python3 -m tarfile -c x2.tar home",
  "7z a x.7z ~/.claude",
])("no link of the line and no program that walks leads to them unasked: %s", (command) => {
  const { country, policy, root } = settled();
  for (const circumstances of wide) {
    const about = { ...circumstances, policy };
    expect(verdictOf(command.replaceAll("{{R}}", root), country, about)).not.toBe("allow");
  }
});

test.each([
  "cat /proc/$PPID/envir?n",
  "cd /proc/$PPID; cat envir?n",
  "cd /proc; cat 1/envir?n",
  "cd /; cat proc/$PPID/envir?n",
  "x=iron; cat /proc/$PPID/env$x",
  "x=/proc; cat $x/1/env?ron",
  "cat /pr?c/*/env*",
  "cat //proc/$PPID/envir?n",
  "cat ~/../../../../../proc/$PPID/envir?n",
  "for p in /proc/*/env*; do cat $p; done",
  "grep -ra KEY /proc/1",
  "find /proc -name 'env*' -exec cat {} +",
  "ps eww -p $PPID",
  "ps -p $PPID e",
  "ps auxe",
  "ps -auxe",
  "ps -E",
  "x=eww; ps $x",
  "/bin/ps axe",
])("the environment of another process is not read unasked: %s", (command) => {
  for (const circumstances of wide)
    expect(verdictOf(command, makeCountry(), circumstances)).not.toBe("allow");
  expect(verdictOf(command, makeCountry(), { rules: ["allow Bash(ps *)"] })).not.toBe("allow");
});

test.each([
  "ps aux",
  "ps -ef | grep node",
  "ps -eo pid,etime,cmd",
  "ps axo pid,etime",
  "ps -p 12 -o etime=",
  'ps -p "$pid"',
  "cat /proc/cpuinfo",
  "ls /proc",
  "awk -F/ '{print $2}' a",
  "docker run --rm x ls /",
  "git clone https://example.com/x y && cat y/README",
  "git pull && cat README.md src/*.ts",
  "tar xf x.tar && cat x/a",
  'npm test -- "$x"',
  'cat "/tmp/$x"',
  "cat src/proc/*.ts",
])("everyday commands are not held for looks at secrets: %s", (command) => {
  const { country, policy } = settled();
  expect(verdictOf(command, country, { policy, mode: "bypassPermissions" })).toBe("allow");
});

test("searches leave them out", () => {
  const { country, root, policy } = settled();
  const hides = hiddenFromSearches({ ...rulesAlone(country.project, []), ...policy });
  expect(secrets.map((file) => hides?.(join(root, file)))).toEqual(secrets.map(() => true));
  expect(hides?.(join(root, `${session}.jsonl`))).toBe(false);
});

test("hooks and settings in an added directory are asked about, whatever is allowed", () => {
  const country = makeCountry({ "outside/repo/.git/config": "" });
  const policy = { directories: [country.project, country.outside] };
  for (const rules of [[], ["allow Edit", "allow Bash"]])
    for (const name of [".git/hooks/pre-commit", ".claude/settings.json", "deep/.envrc"]) {
      const path = join(country.outside, name);
      const about = { mode: "acceptEdits", rules, policy } as const;
      expect(decisionOf({ tool: "Write", paths: [path] }, country, about).verdict, path).toBe(
        "ask",
      );
      expect(verdictOf(`echo x > ${path}`, country, about), path).toBe("ask");
      const plain = join(country.outside, "notes.md");
      expect(decisionOf({ tool: "Write", paths: [plain] }, country, about).verdict).toBe("allow");
    }
});

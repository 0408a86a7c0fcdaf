import { expect, test } from "vitest";
import { makeCountry, verdictOf } from "../../../test/support/verdict.ts";

const entries = {
  "project/file": "a\n",
  "project/new-dir/": "",
  "project/plain/sub/x": "x\n",
  "project/tree/.claude/settings.json": "{}",
  "project/taken/file": "-> outside/secret",
  "project/links/x": "-> ../file",
  "project/elsewhere": "-> outside",
  "outside/secret": "s\n",
};

test.each([
  "mkdir -p a/b",
  "touch a -r file",
  "rm -rf plain",
  "rmdir new-dir",
  "mv file b",
  "mv plain new-dir",
  "cp file b",
  "cp -r plain new-dir/",
  "cp -t new-dir file",
  "cp --target-directory=new-dir file",
  "sed -i s/a/b/ file",
  "sed -Ei 's/(a)/b/' file",
  "echo x > b && cat b",
])("where edits are accepted, %s is too", (command) => {
  const country = makeCountry(entries);
  expect(verdictOf(command, country, { mode: "acceptEdits" })).toBe("allow");
  expect(verdictOf(command, country)).toBe("ask");
});

test.each([
  // Not every path is known, or one lies elsewhere.
  "rm $x",
  "rm *",
  "touch ../x",
  "touch ~/x",
  "touch elsewhere/x",
  "touch --reference=/etc/passwd a",
  "mkdir elsewhere/a",
  "mv file elsewhere",
  "cp file /tmp",
  "cp -t elsewhere file",
  "cp -telsewhere file",
  "cp --target-directory=elsewhere file",
  "echo x > elsewhere/a",
  "echo x > elsewhere/../a",
  "echo x > ~/a",
  // Through a link that lies at the target.
  "cp file taken",
  "cp file taken/",
  "cp -r taken new-dir",
  // Links come along, and lead elsewhere from their new place.
  "mv links new-dir",
  "mv taken b && cp file b/file",
  "cp -rL taken b",
  "cp -s file b",
  "cp --symbolic-link file b",
  "cp --parents plain/sub/x new-dir",
  // What is protected, at the target too.
  "touch .git/x",
  "rm .mcp.json",
  "cp file .bashrc",
  "cp -r tree/. .",
  "cp -rT tree .",
  "mv tree/.claude .",
  // Scripts that run or write, copies that are kept elsewhere.
  "sed -i 's/a/b/e' file",
  "sed -i 'w x' file",
  "sed -i.bak s/a/b/ file",
  "sed -iE s/a/b/ file",
  "sed --in-place=../x s/a/b/ file",
  "sed -n -f script file",
  // Other commands.
  "chmod +x file",
  "ln -s a b",
  "dd of=x",
  "tee x",
])("%s is not", (command) => {
  expect(verdictOf(command, makeCountry(entries), { mode: "acceptEdits" })).toBe("ask");
});

test("a tree too large to look through is not copied unasked", () => {
  const names = Array.from({ length: 300 }, (_, index) => [`project/many/${index}`, ""] as const);
  const country = makeCountry({ ...Object.fromEntries(names), "project/few/a": "" });
  expect(verdictOf("cp -r few b", country, { mode: "acceptEdits" })).toBe("allow");
  expect(verdictOf("cp -r many b", country, { mode: "acceptEdits" })).toBe("ask");
});

test("a directory with a repository in it is not removed unasked, however deep or bare that is", () => {
  const country = makeCountry({
    "project/deep/1/2/3/4/5/6/.git/HEAD": "",
    "project/bare.git/HEAD": "",
    "project/bare.git/objects/x": "",
    "project/bare.git/refs/x": "",
    "project/plain/1/2/3/4/5/6/f": "",
    "project/node_modules/x/.git/HEAD": "",
  });
  const verdict = (command: string): string => verdictOf(command, country, { mode: "acceptEdits" });
  expect(["rm -rf deep", "rm -rf bare.git"].map(verdict)).toEqual(["ask", "ask"]);
  expect(["rm -rf plain", "rm -rf node_modules"].map(verdict)).toEqual(["allow", "allow"]);
});

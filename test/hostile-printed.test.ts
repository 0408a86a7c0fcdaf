import { expect, test } from "vitest";
import { makeCountry, verdictOf } from "./support/verdict.ts";

// Texts that one part prints into a pipe or a file, and that another part runs or reads.

const country = (): ReturnType<typeof makeCountry> =>
  makeCountry({ "project/.env": "k\n", "project/README": "r\n", "project/.gitignore": "" });

test.each([
  "echo 'cat .env; evil x' > s.sh; sh s.sh",
  "echo 'cat .env; evil x' > s.sh; chmod +x s.sh; ./s.sh",
  "echo 'cat .env; evil x' > cat; chmod +x cat; ./cat",
  "printf 'cat .env\\nevil x\\n' > s.sh && bash s.sh",
  "echo cat .env ';' evil x | tee s.sh; sh s.sh",
  "echo 'all: ; cat .env; evil x' > mk; make -s -f mk",
  "echo 'all: ; @cat .env; evil x' | make -s -f -",
  "printf 'r .env\\n!evil x\\nq\\n' | ed -s README",
  "printf 'r .\\x65nv\\n!\\0145vil x\\nq\\n' | ed -s README",
  "echo '!evil x .env' | ex -s",
  "{ echo 'cat .env'; echo 'evil x'; } > s.sh; sh s.sh",
  "( echo 'cat .env; evil x' ) | unshare",
  "echo 'cat .env; evil x' | su",
  "echo 'cat .env; evil x' | ssh localhost",
  "date +'cat .env; evil x' | at now",
  "npx -c \"$(echo 'cat .env; evil x')\"",
  'x=.env; y=evil; echo "cat $x; $y x" | make -f -',
])("a rule that denies holds for what the line prints for others: %s", (command) => {
  const files = country();
  for (const rule of ["deny Read(./.env)", "deny Bash(evil *)"]) {
    expect(verdictOf(command, files, { rules: ["allow Bash", rule] }), rule).not.toBe("allow");
    const mode = "bypassPermissions" as const;
    expect(verdictOf(command, files, { rules: [rule], mode }), rule).not.toBe("allow");
  }
});

test.each([
  ["echo .env > list; zip -@ x < list", "deny Read(./.env)"],
  ["echo '#include \".env\"' | cpp -P -", "deny Read(./.env)"],
])("a rule that denies holds for names in what the line prints: %s, %s", (command, rule) => {
  expect(verdictOf(command, country(), { rules: ["allow Bash", rule] })).not.toBe("allow");
});

test.each([
  "echo .env >> .gitignore && git add .gitignore && git commit -m x",
  "echo 'see .env' && npm test | tail -5",
  "echo 'evil .env' | grep -c evil",
  "echo 'starting evil' > /dev/null; npm test",
  "echo done > log.txt; npm test",
  "git log --oneline | head -3; npm test",
])("talk about what is denied is no use of it: %s", (command) => {
  const rules = ["allow Bash", "deny Read(./.env)", "deny Bash(evil *)"];
  expect(verdictOf(command, country(), { rules })).toBe("allow");
});

test.each([
  "echo 'rm -rf ~' | su",
  "echo 'rm -rf ~' > s.sh; sh s.sh",
  "echo 'all: ; rm -rf ~' | make -f -",
  "rm -rf *",
  "rm -rf ./*",
  "rm -r -- ./?*",
  "cd d; rm -rf *",
  "cd d && cd .. && rm -rf *",
])("%s removes more than anybody means, so every mode and rule asks", (command) => {
  expect(verdictOf(command, country(), { rules: ["allow Bash"] })).toBe("ask");
  expect(verdictOf(command, country(), { mode: "bypassPermissions" })).toBe("ask");
});

test("a pattern that finds some files of the working directory is removed as before", () => {
  for (const command of [
    "rm -f *.log",
    "rm -rf build/*",
    "rm -rf README*",
    "rm *",
    "cd d && rm -rf *",
  ])
    expect(verdictOf(command, country(), { mode: "bypassPermissions" }), command).toBe("allow");
});

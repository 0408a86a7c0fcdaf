import { expect, test } from "vitest";
import { literalWord } from "../shell/shell-word.ts";
import { runnableForms, unwrapped, type Form } from "./forms.ts";

function words(command: string): Form["words"] {
  return command.split(" ").map((word) => literalWord(word));
}

function textOf(form: Form): string {
  return form.words.map(({ text }) => text).join(" ");
}

test.each([
  ["timeout 5 a b", "a b"],
  ["timeout -k 5 -s KILL 10s a", "a"],
  ["time -p nice -n 5 nohup a", "a"],
  ["stdbuf -oL -e 0 a", "a"],
  ["command a", "a"],
  ["xargs a b", "a b …"],
  ["command -v a", "command -v a"],
  ["xargs -n1 a", "xargs -n1 a"],
  ["env a", "env a"],
  ["sudo a", "sudo a"],
  ["timeout a", "timeout a"],
  ["nice --adjust 5 a", "nice --adjust 5 a"],
])("what an allow rule sees of %s is %s", (command, inner) => {
  expect(textOf(unwrapped({ words: words(command), assignments: [] }))).toBe(inner);
});

test.each([
  "env -i X=1 rm x",
  "sudo -u y rm x",
  "/usr/bin/env /bin/rm x",
  "exec -a y rm x",
  "flock y rm x",
  "xargs -n 1 rm x",
  "find . -exec rm x ;",
  "nohup nice -n 5 ionice -c 3 rm x",
  "pkexec rm x",
  "runuser -u y -- rm x",
])("what a rule that forbids sees of %s has rm in it", (command) => {
  const forms = runnableForms({ words: words(command), assignments: [] });
  expect(forms.map((form) => form.words[0]?.text)).toContain("rm");
});

test("what is wrapped too often may be anything", () => {
  const command = words(`${"env ".repeat(70)}rm x`);
  const forms = runnableForms({ words: command, assignments: [] });
  expect(forms.at(-1)?.words[0]?.isStatic).toBe(false);
});

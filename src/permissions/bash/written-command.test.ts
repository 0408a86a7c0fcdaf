import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { decisionOf, makeCountry } from "../../../test/support/verdict.ts";
import { readShell } from "../shell/grammar.ts";
import { writtenCommand } from "./written-command.ts";

test.each([
  [`printf '<%s>' "a b" c`, `printf '<%s>' 'a b' c`],
  [`printf '<%s>' "it's" ""`, String.raw`printf '<%s>' 'it'\''s' ''`],
  [`printf '<%s>' '*' "~" '{a,b}' \\$x`, `printf '<%s>' '*' '~' '{a,b}' '$x'`],
  [`printf '<%s>' ~/"a b" ~ ~/x`, `printf '<%s>' ~/'a b' ~ ~/x`],
  [`printf '<%s>' "a  b" "é" a=b {}`, `printf '<%s>' 'a  b' 'é' a=b {}`],
  ["printf '<%s>' 'a\n\tb\\'", String.raw`printf '<%s>' $'a\n\tb\\'`],
  [`printf '<%s>' "$HOME/a b" *.none`, `printf '<%s>' "$HOME/a b" *.none`],
  [`LANG="a b" printf '<%s>' x`, `LANG='a b' printf '<%s>' x`],
  [`'a=b' c`, `'a=b' c`],
])("%j is written so that bash reads the same words", (command, written) => {
  const read = readShell(command);
  if (!read.readable) throw new Error("It must be readable.");
  expect(read.shell.commands.map(writtenCommand)).toEqual([written]);
  if (command.startsWith("'")) return;
  const printed = (text: string): string => execFileSync("bash", ["-c", text]).toString();
  expect(printed(written)).toBe(printed(command));
});

test("a reason quotes a word with a blank, so that one word does not look like two", () => {
  const country = makeCountry();
  const decided = (command: string): object =>
    decisionOf({ tool: "Bash", input: { command } }, country);
  expect(decided('rm "a  b"')).toMatchObject({
    reason: "`rm 'a  b'` needs approval: no rule allows it.",
    part: "rm 'a  b'",
  });
  expect(decided('echo a > "b c"')).toMatchObject({
    reason: "`> 'b c'` needs approval: it writes to a file.",
  });
  expect(decided("rm -r '/etc'")).toMatchObject({
    reason: expect.stringContaining("remove '/etc'. No rule") as string,
  });
});

test("the remedy of a denial can be pasted where a word has a quote", () => {
  const call = { tool: "Bash", input: { command: `make "it's"` } };
  const { reason } = decisionOf(call, makeCountry(), { canAsk: false });
  expect(reason).toContain(String.raw`--allowedTools 'Bash(make it'\''s)', all of it`);
});

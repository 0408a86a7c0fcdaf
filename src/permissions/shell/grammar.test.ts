import { expect, test } from "vitest";
import { readShell } from "./grammar.ts";
import { opaqueText } from "./opaque.ts";
import { commandText } from "./shell.ts";

/** The simple commands of a readable command, each on a line. */
function commandsIn(command: string): string[] {
  const read = readShell(command);
  if (!read.readable) throw new Error(opaqueText(read.opaque));
  return read.shell.commands.map(commandText);
}

function opaqueIn(command: string): string {
  const read = readShell(command);
  return read.readable ? "readable" : opaqueText(read.opaque);
}

test.each([
  ["ls -la", ["ls -la"]],
  ["", []],
  ["# nothing", []],
  ["a; b & c && d || e | f", ["a", "b", "c", "d", "e", "f"]],
  ["a\n\nb # c\n", ["a", "b"]],
  ["a &&\nb |\nc", ["a", "b", "c"]],
  ["r''m a\"b\"'c' \\$x", ["rm abc $x"]],
  ["echo 'a\nb' \"c\nd\"", ["echo a\nb c\nd"]],
  [String.raw`rg "a\.b\(\"\$\\" src`, [String.raw`rg a\.b\("$\ src`]],
  ["! a", ["a"]],
  ["! a | b", ["a", "b"]],
  ["{ a; b; }; (c; d) | e", ["a", "b", "c", "d", "e"]],
  ["( (a) )", ["a"]],
  ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
  ["while a; do b; done", ["a", "b"]],
  ["for i in 1 2; do echo $i; done", ["i=1 i=2", "echo $i"]],
  ["for i in\ndo\na\ndone", ["i=(…)", "a"]],
  ['echo "$(a "$(b)")" $x ${x} $?', ["b", 'a "$(b)"', 'echo "$(a "$(b)")" $x ${x} $?']],
  ["x=1 y='a b' z=", ["x=1 y=a b z="]],
  ["LANG=C sort", ["LANG=C sort"]],
  ["find . -name '*.ts' -exec ls {} \\;", ["find . -name *.ts -exec ls {} ;"]],
  ["xargs -I{} echo {}", ["xargs -I{} echo {}"]],
  ["cat ~ ~/x HEAD~2 a~", ["cat ~ ~/x HEAD~2 a~"]],
  ["[ -f a ] && test a = b", ["[ -f a ]", "test a = b"]],
  ["cat <<'EOF'\n$(a) `b` \\\nEOF\nc", ["cat", "c"]],
  ['cat <<"EOF" | b\nx\nEOF', ["cat", "b"]],
  [
    "git commit -m \"$(cat <<'EOF'\nit's (1)\nEOF\n)\"",
    ["cat", "git commit -m \"$(cat <<'EOF'\nit's (1)\nEOF\n)\""],
  ],
  ["echo if then done for", ["echo if then done for"]],
  ["time ls", ["time ls"]],
  ["a 2>&1 >&2 1>&2", ["a"]],
])("%s runs %j", (command, commands) => {
  expect(commandsIn(command)).toEqual(commands);
});

test("redirections have a file, and an effect", () => {
  const read = readShell("a < i > o >> p 2> q 2>> 'r' &> s &>> t 2>&1; { b; } > u; (c) < ~/v");
  const found = read.readable ? read.shell.redirections : [];
  expect(
    found.map(({ operator, target, effect }) => `${operator} ${target.text} ${effect}`),
  ).toEqual([
    "< i read",
    "> o write",
    ">> p write",
    "2> q write",
    "2>> r write",
    "&> s write",
    "&>> t write",
    "2>& 1 descriptor",
    "> u write",
    "< ~/v read",
  ]);
});

test.each([
  ["echo a $'b'", "opaque: `$'…'` at 1:8 (write the text in '…')"],
  ['echo $"a"', 'opaque: `$"…"` at 1:6 (leave the $ out)'],
  ["ls\necho `a`", `opaque: a backtick at 2:6 (write "$( … )", or the text in '…')`],
  ["echo $((1+1))", "opaque: `$((…))` at 1:6 (write the number)"],
  [
    "echo ${x:-a}",
    "opaque: `${…}` with more than a name at 1:6 (write ${name}, and choose with if [ … ])",
  ],
  ["echo a\\\nb", "opaque: a line continuation at 1:7 (write it on one line)"],
  ["echo {a,b}", "opaque: a brace in a word at 1:6 (write the words out, or quote them)"],
  ["f() { a; }", "opaque: a function at 1:2 (write its commands out)"],
  ["[[ a == b ]]", "opaque: `[[` at 1:1 (use [ … ])"],
  ["cat <<EOF\na\nEOF", "opaque: `<<` at 1:5 (put quotes around the delimiter: <<'EOF')"],
  ["eval a", "opaque: `eval` at 1:1 (bash takes its arguments for code or for names)"],
  ["a; command eval b", "opaque: `eval` at 1:12 (bash takes its arguments for code or for names)"],
  ["a |& b", "opaque: `|&` at 1:3 (write 2>&1 |)"],
  ["a <<< b", "opaque: `<<<` at 1:3 (pipe the text in: echo '…' | …)"],
])("%s is %s", (command, text) => {
  expect(opaqueIn(command)).toBe(text);
});

test.each([
  // Quotes and words.
  "echo 'a",
  'echo "a',
  'echo "a$"',
  'echo "a`b`"',
  'echo "a\\\nb"',
  'echo "é\\"',
  "echo é",
  "echo a#b",
  "echo ~a ~+",
  "echo a=~/b",
  "echo a:~/b",
  "x=~/a",
  "echo \u0001",
  "echo \u007F",
  "echo \u0085",
  "echo a\r",
  "echo [a]",
  "echo a{b",
  "echo }",
  "{}",
  "echo $1 $@ $# $$ $!",
  "echo $",
  // Lists and compound commands.
  "a;;b",
  "; a",
  "a && ; b",
  "a | | b",
  "a | ! b",
  "! ! a",
  "(a",
  "a)",
  "((a))",
  "{ a }",
  "{a; }",
  "()",
  "{ }",
  "if a; then fi",
  "if a then b; fi",
  "then a",
  "x=1 if",
  ">f if",
  "(a) b",
  "until a; do b; done",
  "case a in a) b;; esac",
  "select i in a; do b; done",
  "function f { a; }",
  "coproc a",
  "for i; do a; done",
  "for ((;;)); do a; done",
  "time time a",
  "time time -p a",
  "time ! a",
  "time x=1 a",
  "time if a; then b; fi",
  "echo $(a # b\n)",
  "echo $()",
  // Assignments and arrays.
  "a+=b",
  "a[0]=b",
  "a=(b c)",
  // Redirections.
  "a 3> b",
  "a 1> b",
  "a >| b",
  "a <> b",
  "a >& b",
  "a <& 3",
  "a 2>&-",
  "a 2>&1x",
  "a {fd}> b",
  "a > $x",
  'a > "$x"',
  "a > *",
  "a > b*",
  "cat <(a)",
  "a > >(b)",
  // Here-documents.
  "cat <<E\na\nE",
  "cat <<\\E\na\nE",
  "cat <<-'E'\na\nE",
  "cat <<'E'\na",
  "cat <<'E'\nEa\nE",
  "cat <<'E' <<'F'\na\nE\nb\nF",
  "cat <<'E' 'a\nb'\nE",
  "cat <<'E' $(a\n)\nE",
  "echo $(cat <<'E')\nE",
  "$x a",
  "comp${x}gen -W '$(a)'",
  "test${x} -v 'a[$(b)]'",
  "ev?l a",
  "echo $(cat <<'E'; a\nE\n)",
  "echo $(cat <<'E'\nE\na)",
  "echo $(a; cat <<'E'\nE\n)",
  "echo $(cat <<'E' | a\nE\n)",
  "echo $({ cat; } <<'E'\nE\n)",
  "echo $(! cat <<'E'\nE\n)",
  "echo $(cat <<'E' > a\nE\n)",
  "echo $(cat <<'E' $(a)\nE\n)",
  "echo $(echo $(cat <<'E'\nE\n))",
  "true;&> a",
  "echo $(cat <<'E'\nE) ; a\nE\n)",
  // Builtins that evaluate.
  ". a",
  "source a",
  "trap a EXIT",
  "exec a",
  "alias a=b",
  "export a=b",
  "declare a",
  "read a",
  "unset a",
  "let a",
  "builtin eval a",
  "time eval a",
  "printf -v a b",
  "printf $x",
  "printf %n a",
  "test -v a",
  "test $x",
  "[ $x = a ]",
  "[ -R a ]",
  "[ a = b -o c ]",
  "[ a",
  "set -k",
  "set -- a",
  "set",
  "shopt -s extglob",
  "wait -p a",
  "jobs -x a",
])("%j is opaque", (command) => {
  expect(opaqueIn(command)).toMatch(/^opaque: /);
});

test("too long and too deep is opaque", () => {
  expect(opaqueIn("a ".repeat(5001))).toContain("more than 10000 characters");
  expect(opaqueIn(`(${"a; ( ".repeat(40)}a${")".repeat(41)}`)).toContain("deep");
  expect(opaqueIn("$(a ".repeat(2000))).toContain("deep");
});

test("a word says what is known of it", () => {
  const read = readShell(`cat 'a b' *.ts "$x" $x ~/y "$HOME/z" "$D"/* a"*"b`);
  const words = read.readable ? (read.shell.commands[0]?.words ?? []) : [];
  expect(
    words.map(({ text, isStatic, isGlob, pattern, canSplit, belowHome, isUnderVariable }) =>
      [text, isStatic, isGlob, pattern, canSplit, belowHome, isUnderVariable].join(" | "),
    ),
  ).toEqual([
    "cat | true | false |  | false |  | false",
    "a b | true | false |  | false |  | false",
    "*.ts | false | true | *.ts | true |  | false",
    '"$x" | false | false |  | false |  | false',
    "$x | false | false |  | true |  | false",
    "~/y | true | false |  | false | /y | false",
    '"$HOME/z" | false | false |  | false | /z | false',
    '"$D"/* | false | false |  | true |  | true',
    "a*b | true | false |  | false |  | false",
  ]);
});

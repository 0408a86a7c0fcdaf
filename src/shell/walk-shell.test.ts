import { expect, test } from "vitest";
import { readShell } from "./read-shell.ts";
import { commandText, type Shell } from "./shell.ts";

function shellOf(command: string): Shell {
  const read = readShell(command);
  if (!read.readable) throw new Error(read.why);
  return read.shell;
}

test.each([
  ["a; b & c && d || e | f |& g\nh", ["a", "b", "c", "d", "e", "f", "g", "h"]],
  ["( a; { b; } )", ["a", "b"]],
  ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
  ["while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
  ["case $(a) in $(b)) c;; esac", ["a", "b", "c"]],
  ["f() { a; }", ["a"]],
  ["coproc a", ["a"]],
  ["echo $(a) `b` <(c) >(d)", ["echo $(a) `b` <(c) >(d)", "a", "b", "c", "d"]],
  ['echo "${x:-$(a)}" ${y/$(b)/$(c)}', ["echo ${x:-$(a)} ${y/$(b)/$(c)}", "a", "b", "c"]],
  ["x=$(a) y=(b $(c))", ["x=$(a) y=(…)", "a", "c"]],
  ["cat <<E\n$(a)\nE", ["cat", "a"]],
  ["cat <<'E'\n$(a)\nE", ["cat"]],
  ["cat <<< $(a) > $(b)", ["cat", "a", "b"]],
  ["[[ -n $(a) ]] && (( 1 + $(b) ))", ["a", "b"]],
  ["echo '$(a)' # $(b)", ["echo $(a)"]],
])("every simple command of %j is found", (command, found) => {
  expect(shellOf(command).commands.map(commandText)).toEqual(found);
});

test.each([
  "echo $((x))",
  "echo $[x]",
  "(( x ))",
  "for ((i=0; i<x; i++)); do :; done",
  "[[ x -eq 1 ]]",
  "[[ -v x[1] ]]",
  "echo ${x[y]}",
  "echo ${x:y}",
  "echo ${x@P}",
  "echo ${!x}",
  "x[y]=1",
  "x=([y]=1)",
  "echo @(a|b)",
  "echo ${PATH:=x}",
  "echo ${npm_config_userconfig:=x}",
])("%s has text that bash may take for code", (command) => {
  expect(shellOf(command).opaque).toHaveLength(1);
});

test.each([
  "echo $((1 + 2 * (3 - 4)))",
  "(( 1 ))",
  "[[ 1 -eq 2 ]]",
  "[[ -v x ]]",
  "[[ a == b* ]]",
  "echo ${x[0]} ${x[@]} ${#x} ${x:1:2} ${x@Q} ${x:=y} ${x%%.*}",
  "x[1]=2; x=(a b)",
])("%s has none", (command) => {
  expect(shellOf(command).opaque).toEqual([]);
});

test.each([
  ["f() { a; }; f", true],
  ["function f { a; }; f", true],
  ["function f() (a); f x", true],
  ["f() { a; } & f", false],
  ["{ f() { a; }; }; f", false],
  ["x && f() { a; }; f", false],
  ["f; f() { a; }", false],
  // Bash says that these are no names, and runs the program.
  ["\\f() { a; }; f", false],
  ["'f'() { a; }; f", false],
  ["function \\f { a; }; f", false],
])("in %s the call of f is one of the function for certain: %s", (command, isCertain) => {
  const call = shellOf(command).commands.find((one) => one.words[0]?.text === "f");
  expect(call?.callsFunction).toBe(isCertain);
});

test.each([
  ["cat < a", "read"],
  ["cat > a", "write"],
  ["cat >> a", "write"],
  ["cat >| a", "write"],
  ["cat <> a", "write"],
  ["cat &> a", "write"],
  ["cat >& a", "write"],
  ["cat 2>&1", "descriptor"],
  ["cat <&-", "descriptor"],
  ["{ cat; } > a", "write"],
  ["f() { cat; } 3> a", "write"],
])("the redirection of %s is one to %s", (command, effect) => {
  expect(shellOf(command).redirections.map((one) => one.effect)).toEqual([effect]);
});

test.each([
  "for x in a; do b; done",
  "select x in a; do b; done",
  "while a; do b; done",
  "f() { a; }",
])("parts of %s may run more than once", (command) => {
  expect(shellOf(command).repeats).toBe(true);
  expect(shellOf("a; if b; then c; fi").repeats).toBe(false);
});

test.each(["for PATH in x; do :; done", "coproc PATH { :; }", "echo {PATH}> x", "PATH=x"])(
  "%s sets a variable",
  (command) => {
    const set = shellOf(command).commands.flatMap(({ assignments }) => assignments);
    expect(set.map(({ name }) => name)).toEqual(["PATH"]);
  },
);

test("text that is data here and would be code elsewhere is noticed", () => {
  expect(shellOf("echo '$(a)'").hidesCode).toBe(true);
  expect(shellOf("echo '`a`'").hidesCode).toBe(true);
  expect(shellOf("echo a $b").hidesCode).toBe(false);
});

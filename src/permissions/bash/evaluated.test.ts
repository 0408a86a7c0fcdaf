import { expect, test } from "vitest";
import { reachOf } from "./evaluated.ts";

function reached(command: string): { names: string[]; unknown: readonly string[] } {
  const { runs, unknown } = reachOf(command);
  const words = runs.flatMap(({ forms }) => forms.map((form) => form.words[0]?.text ?? ""));
  return { names: words, unknown };
}

test.each([
  "eval rm x",
  "eval 'a; rm x'",
  "eval \"e'val' 'rm x'\"",
  "bash -c 'rm x'",
  "bash -ce 'rm x'",
  "bash -c -e 'rm x'",
  "bash -c -- 'rm x'",
  "bash -o errexit -c 'rm x'",
  "bash --rcfile y -c 'rm x'",
  "/bin/sh -ec 'rm x'",
  "busybox sh -c 'rm x'",
  "env -S 'rm x'",
  "env -S'rm x'",
  "env -iS 'rm x'",
  "env --split-string='rm x'",
  "trap 'rm x' EXIT",
  "trap -- 'rm x' EXIT",
  "su -c 'rm x'",
  "runuser -u y -c 'rm x'",
  "script -qc 'rm x' y",
  "script --command='rm x' y",
  "flock y -c 'rm x'",
  "watch -n1 'a; rm x'",
  "mapfile -C 'rm x' -c 1 y",
  "compgen -C 'rm x'",
  "hash -p /bin/rm y",
  "alias y=rm",
  "xargs bash -c 'rm x'",
  "find . -exec sh -c 'rm x' ';'",
  "sh -c \"sh -c 'rm x'\"",
])("%s runs rm", (command) => {
  expect(reached(command).names).toContain("rm");
});

test.each([
  "eval $x",
  'bash -c "$x"',
  "bash",
  "bash -s",
  "bash -",
  "bash -x",
  "echo a | sh",
  "bash <<< a",
  "bash <(a)",
  "bash /dev/stdin",
  "source /dev/stdin",
  ". <(a)",
  "xargs sh -c",
  "xargs -I{} sh -c {}",
  "xargs -I % sh -c 'a %'",
  "find . -exec sh -c {} ';'",
  "parallel sh -c {}",
  "$x",
  '"$x" y',
  "alias y='rm x'",
  "x*",
  "PS4='$(rm x)'; a",
  "BASH_ENV=y a",
  "echo '$(rm)' $((x))",
  "echo $((x))",
  "source x.sh",
])("%s may run anything", (command) => {
  expect(reached(command).unknown).not.toEqual([]);
});

test.each(["bash x.sh", "echo $x", "a '$(rm)'", "bash -x x.sh y"])(
  "%s runs what stands there, as far as anybody can tell",
  (command) => {
    expect(reached(command)).toMatchObject({ unknown: [] });
  },
);

test("code in code in code is followed only so far", () => {
  const nested = `${"watch ".repeat(40)}rm`;
  expect(reached(nested).unknown).not.toEqual([]);
});

test("redirections of evaluated text count", () => {
  const targets = reachOf("eval 'a > b' > c").redirections;
  expect(targets.map(({ target }) => target.text)).toEqual(["c", "b"]);
});

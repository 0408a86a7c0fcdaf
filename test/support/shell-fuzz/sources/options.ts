import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../random.ts";
import { lookPrograms } from "../stubs.ts";

/** Programs that only look, with options from their own `--help` and values that lead out. */
export function openOptions(programs: string): (random: Random) => string {
  const known = lookPrograms
    .filter((name) => !/^(?:git|test|\[|echo|printf|sleep|true|false)$/.test(name))
    .filter((name) => existsSync(join(programs, name)))
    .map((name) => ({ name, options: optionsIn(helpOf(join(programs, name), ["--help"])) }));
  const gits = gitCommands.map((name) => ({
    name: `git ${name}`,
    options: optionsIn(helpOf(join(programs, "git"), [name, "-h"])),
  }));
  const finds = { name: "find", options: findWords };
  const all = [...known, ...gits, ...gits, finds, finds];
  return (random) => {
    const { name, options } = random.pick(all);
    const parts = [
      name,
      ...Array.from({ length: 1 + random.below(3) }, () => part(random, options)),
    ];
    if (/^(?:grep|egrep|fgrep|rg|sed|jq)$/.test(name) && random.chance(0.6))
      parts.splice(1 + random.below(parts.length), 0, random.pick(patterns));
    if (random.chance(0.4)) parts.push(random.pick(operands));
    const text = parts.filter((one) => !blocks.test(`${name} ${one}`)).join(" ");
    return random.chance(0.15)
      ? `cd ${random.pick(["sub", "link-in", "odd", ".", "secrets"])} && ${text}`
      : text;
  };
}

/** Options that wait for more, for as long as the command has time. */
const blocks = /^tail (?:-\w*[fF]|--f|--ret)|^sort --parallel/;

function helpOf(program: string, words: readonly string[]): string {
  const { stdout, stderr } = spawnSync(program, words, { encoding: "utf8", timeout: 5000 });
  return `${stdout}\n${stderr}`;
}

function optionsIn(help: string): string[] {
  const found = new Set<string>();
  for (const [option] of help.matchAll(/(?<![\w-])--?[A-Za-z0-9][\w-]*(?:\[?=)?/g))
    found.add(option);
  for (const letter of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    found.add(`-${letter}`);
  return [...found];
}

function part(random: Random, options: readonly string[]): string {
  if (random.chance(0.3)) return random.pick(operands);
  const option = random.pick(options);
  const name = option.replace(/\[?=$/, "");
  if (!name.startsWith("--")) {
    return random.pick([
      () => name,
      () => `${name}${random.pick(values)}`,
      () => `${name} ${random.pick(values)}`,
      () =>
        `${name}${random
          .pick(options)
          .replaceAll(/^-+|=$|\[=$/g, "")
          .slice(0, 1)}`,
    ])();
  }
  const written = random.chance(0.3) ? name.slice(0, 3 + random.below(name.length - 2)) : name;
  return random.pick([
    () => written,
    () => `${written}=${random.pick(values)}`,
    () => `${written} ${random.pick(values)}`,
  ])();
}

const outside = [
  ...["../outside/secret.txt", "../outside", "link-file", "link-dir", "link-dir/secret.txt", "~"],
  ...["~/notes.txt", "sub/link-up", "sub/../../outside", "/etc/hostname", "dangling", "bytes/*"],
  ...[
    "link-in/../../outside/secret.txt",
    "./link-dir/dir",
    "..",
    "/etc",
    "bytes",
    "sub/*",
    "link-*",
  ],
];
const denied = [".env", "./.env", "secrets/key", "secrets", "link-env", "sub/../.env", ".e*", "*"];
const inside = [
  "data.txt",
  "sub",
  "sub/notes.txt",
  ".",
  "-",
  "odd",
  "odd/*",
  "*.txt",
  "x.sh",
  "data.json",
];
const operands = [...outside, ...denied, ...inside, ...inside, "--", "HEAD", "evil"];
const values = [
  ...[...outside, ...denied, ...inside, "evil", "pwned", "always", "auto", "1", "0", "a", "never"],
  ...[
    "'evil %s'",
    "'%G?'",
    "'%(trailers)'",
    "main",
    "HEAD",
    "all",
    "none",
    "name",
    "recurse",
    "skip",
  ],
];
const patterns = [
  ...[
    "a",
    "'.*'",
    "-",
    "1p",
    "'1,2p'",
    "'s/a/b/'",
    "'s/a/evil/e'",
    "'w pwned'",
    "'r .env'",
    "1e",
    ".",
  ],
  ...[
    "'$!N'",
    "'s/a/b/w pwned'",
    "'R ../outside/secret.txt'",
    "'include \"x\";.'",
    "input",
    "''",
    "-e a",
  ],
  ...[
    "-e 1p",
    "-f script.sed",
    "-f list.txt",
    "'y/a/b/;e evil'",
    "'$p'",
    "'/a/,/b/p'",
    "'a\\' -e evil",
  ],
];
const gitCommands = [
  ...["status", "log", "show", "diff", "shortlog", "blame", "ls-files", "ls-tree", "rev-parse"],
  ...[
    "describe",
    "branch",
    "tag",
    "remote",
    "stash",
    "worktree",
    "grep",
    "cat-file",
    "reflog",
    "config",
  ],
];
const findWords = [
  ...[
    "-name",
    "-path",
    "-exec evil ;",
    "-exec evil {} +",
    "-execdir",
    "-delete",
    "-fprint",
    "-fls",
    "-ok",
  ],
  ...[
    "-newer",
    "-samefile",
    "-L",
    "-H",
    "-P",
    "-follow",
    "-files0-from",
    "-fprintf",
    "-newermt",
    "-type",
  ],
  ...[
    "-print",
    "-maxdepth",
    "-ls",
    "-prune",
    "-o",
    "!",
    "\\(",
    "\\)",
    ",",
    "-regex",
    "-printf",
    "-xtype",
  ],
  ...[
    "-D",
    "-O3",
    "-anewer",
    "-newerXY",
    "-newercm",
    "-lname",
    "-size",
    "-empty",
    "-quit",
    "-mindepth",
  ],
];

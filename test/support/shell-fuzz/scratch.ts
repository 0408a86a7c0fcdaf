import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** What lies in the directory where commands run: data, and traps that only a command gone wrong steps into. */
const files: Readonly<Record<string, string>> = {
  "data.txt": "alpha\nbeta\ngamma\n",
  "list.txt": "evil\nother\n",
  "sub/notes.txt": "one\ntwo\n",
  "x.sh": "evil from x.sh\n",
  // Programs with the names of allowed ones. They write too, because a PATH that finds them may lack the others.
  good1: "#!/bin/sh\n: >pwned\nevil from ./good1\n",
  good2: "#!/bin/sh\n: >pwned\nother from ./good2\n",
  // Names that mean something else as a command or as an option of a program that is given `*`.
  evil: "",
  "-delete": "",
  "-opwned": "",
  "--output=pwned": "",
  "program.awk": 'BEGIN { system("evil from awk") }\n',
  "script.sed": "1e evil from sed\n",
};

const executable = ["x.sh", "good1", "good2"];

/** A directory `work` with the files and a repository, and an empty `home` beside it. */
export function makeTemplate(directory: string): void {
  const work = join(directory, "work");
  mkdirSync(join(work, "sub"), { recursive: true });
  mkdirSync(join(directory, "home"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text);
  for (const name of executable) chmodSync(join(work, name), 0o755);
  const env = {
    PATH: process.env["PATH"],
    HOME: join(directory, "home"),
    GIT_CONFIG_NOSYSTEM: "1",
  };
  const git = (...words: string[]): void => {
    spawnSync("git", ["-c", "user.name=n", "-c", "user.email=e", ...words], { cwd: work, env });
  };
  git("init", "-q", "--template=");
  git("add", "data.txt", "sub");
  git("commit", "-qm", "first");
  rmSync(join(work, ".git/logs"), { recursive: true, force: true });
  writeFileSync(join(work, "data.txt"), "alpha\nbeta\ndelta\n");
  git("status");
}

export function copyTemplate(template: string, to: string): void {
  cpSync(template, to, { recursive: true });
}

/** Puts back what a command changed, which is less work than a new copy. */
export function restore(template: string, to: string, changed: readonly string[]): void {
  for (const path of changed) {
    rmSync(join(to, path), { recursive: true, force: true });
    const original = join(template, path);
    // A parent comes before what is in it, and brings it along.
    if (existsSync(original)) cpSync(original, join(to, path), { recursive: true });
  }
}

/** Git renews it when it only looks. */
const ownCache = join("work", ".git", "index");

/** Every path below, with what changes when somebody writes to it. Directories only are there or not. */
export function snapshot(directory: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (relative: string): void => {
    for (const entry of readdirSync(join(directory, relative), { withFileTypes: true })) {
      const path = join(relative, entry.name);
      if (entry.isDirectory()) {
        found.set(path, "directory");
        walk(path);
        continue;
      }
      if (path === ownCache) continue;
      const { ino, size, mode, mtimeNs, ctimeNs } = lstatSync(join(directory, path), {
        bigint: true,
      });
      found.set(path, `${ino} ${size} ${mode} ${mtimeNs} ${ctimeNs}`);
    }
  };
  walk("");
  return found;
}

/** Paths that are new, gone or not as they were. */
export function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

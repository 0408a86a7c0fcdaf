import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gitStub } from "./stubs.ts";

/** Texts that stand in one kind of file only, so that output tells where it came from. */
export const canaries = {
  env: "canary-of-env",
  key: "canary-of-key",
  outside: "canary-outside",
} as const;

/** The files of the directory where commands run: data, and traps that only a command gone wrong steps into. */
const files: Readonly<Record<string, string>> = {
  "data.txt": "alpha\nbeta\ngamma\n",
  "list.txt": "evil\nother\n",
  "data.json": '{"a": 1}\n',
  "sub/notes.txt": "one\ntwo\n",
  "x.sh": "evil from x.sh\n",
  ".env": `TOKEN=${canaries.env}\n`,
  "secrets/key": `${canaries.key}\n`,
  "kept.txt": "kept\n",
  // Programs with the names of allowed ones.
  good1: "#!/bin/sh\n: >pwned\nevil from ./good1\n",
  good2: "#!/bin/sh\n: >pwned\nother from ./good2\n",
  // Names that mean something else as a command or as an option of a program that is given `*`.
  evil: "",
  "odd/-R": "",
  "odd/-rf": "",
  "odd/--help": "",
  "odd/-delete": "",
  "odd/-opwned": "",
  "odd/--output=pwned": "",
  "odd/--files0-from=..": "",
  "odd/ ": "",
  "odd/a b": "",
  "odd/$(evil)": "",
  "odd/`evil`": "",
  "odd/;evil": "",
  "odd/*": "",
  "odd/?": "",
  "odd/~": "",
  "odd/line\nevil": "",
  "program.awk": 'BEGIN { system("evil from awk") }\n',
  "script.sed": "1e evil from sed\n",
  ".ripgreprc": "--pre=evil\n",
  ".jq": "def evil: input_filename;\n",
  ".rgignore": "*.log\n",
};

const executable = ["x.sh", "good1", "good2"];

/** Files that lie beside the directory, and that nothing allowed may open. */
const outside: Readonly<Record<string, string>> = {
  "outside/secret.txt": `${canaries.outside}\n`,
  "outside/dir/more.txt": `${canaries.outside}\n`,
  "home/.ssh/id": `${canaries.outside}\n`,
  "home/notes.txt": `${canaries.outside}\n`,
};

const links: Readonly<Record<string, string>> = {
  "link-file": "../outside/secret.txt",
  "link-dir": "../outside",
  "link-env": ".env",
  "link-in": "sub",
  "sub/link-up": "../../outside/secret.txt",
  dangling: "../outside/absent",
};

/** A directory `work` with files and a repository that names programs, and `home` and `outside` beside it. */
export function makeTemplate(directory: string): void {
  const work = join(directory, "work");
  for (const name of ["work/sub", "work/odd", "work/secrets", "outside/dir", "home/.ssh"])
    mkdirSync(join(directory, name), { recursive: true });
  for (const [name, text] of Object.entries(outside)) writeFileSync(join(directory, name), text);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text);
  for (const [name, to] of Object.entries(links)) symlinkSync(to, join(work, name));
  for (const name of executable) chmodSync(join(work, name), 0o755);
  const bytes = join(work, "bytes");
  mkdirSync(bytes);
  symlinkSync("../../outside/secret.txt", Buffer.concat([Buffer.from(`${bytes}/`), notText]));
  makeRepository(work, join(directory, "home"));
}

/** A name that is not UTF-8. */
const notText = Buffer.from([0xff, 0x2e, 0x74]);

function makeRepository(work: string, home: string): void {
  const env = { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...words: string[]): void => {
    spawnSync("git", ["-c", "user.name=n", "-c", "user.email=e", ...words], { cwd: work, env });
  };
  git("init", "-q", "--template=", "--initial-branch=main");
  writeFileSync(join(work, ".gitattributes"), "*.txt diff=odd filter=odd\n");
  git("add", "data.txt", "sub/notes.txt", "secrets", ".gitattributes");
  git("commit", "-qm", "first");
  rmSync(join(work, ".git/logs"), { recursive: true, force: true });
  writeFileSync(join(work, "data.txt"), "alpha\nbeta\ndelta\n");
  writeFileSync(join(work, "secrets/key"), `${canaries.key} changed\n`);
  git("status");
  appendFileSync(join(work, ".git/config"), configuration);
  const hooks = join(work, ".git/hooks");
  mkdirSync(hooks, { recursive: true });
  for (const name of ["post-index-change", "pre-commit", "post-checkout"]) {
    writeFileSync(join(hooks, name), `#!/bin/sh\n${gitStub} hook\n`);
    chmodSync(join(hooks, name), 0o755);
  }
}

const configuration = `
[core]
	fsmonitor = ${gitStub}
	pager = ${gitStub}
	editor = ${gitStub}
	sshCommand = ${gitStub}
[diff]
	external = ${gitStub}
[diff "odd"]
	textconv = ${gitStub}
	command = ${gitStub}
[filter "odd"]
	clean = ${gitStub}
	smudge = ${gitStub}
[alias]
	st = !${gitStub}
	l = log
[gpg]
	program = ${gitStub}
[log]
	showSignature = true
`;

/** Node cannot copy names that are not UTF-8. */
export function copyTemplate(template: string, to: string): void {
  const script = 'chmod -R u+rwx "$1" && find "$1" -mindepth 1 -delete; cp -a "$0"/. "$1"/';
  mkdirSync(to, { recursive: true });
  const { status, stderr } = spawnSync("/bin/sh", ["-c", script, template, to]);
  if (status !== 0) throw new Error(`The files were not copied: ${String(stderr)}`);
}

/** Puts back what a command changed, which is less work than a new copy. */
export function restore(template: string, to: string, changed: readonly string[]): void {
  const paths = [...new Set(changed)].sort((a, b) => a.length - b.length);
  if (paths.some((path) => /^work(?:\/bytes(?:\/.*)?)?$|\uFFFD/s.test(path)))
    return copyTemplate(template, to);
  try {
    for (const path of paths) {
      rmSync(join(to, path), { recursive: true, force: true });
      const original = join(template, path);
      const isThere = lstatSync(original, { throwIfNoEntry: false }) !== undefined;
      const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
      if (isThere) cpSync(original, join(to, path), options);
    }
  } catch {
    copyTemplate(template, to);
  }
}

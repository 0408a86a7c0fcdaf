import { spawnSync, type SpawnOptions } from "node:child_process";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** How the system keeps commands made by chance inside a directory, besides the generator's own care. */
export interface Confinement {
  /** For people. */
  name: string;
  /** The words that start a program confined to a directory, and how to spawn them. */
  start: (directory: string, command: readonly string[]) => [string[], SpawnOptions];
}

const namespaces: Confinement = {
  name: "in namespaces of their own",
  start: (directory, command) => [isolating(directory, command), {}],
};

const anotherUser: Confinement = {
  name: "as a user without rights",
  start(directory, command) {
    chmodSync(dirname(directory), 0o711);
    chownSync(directory, nobody, nobody);
    return [[...command], { uid: nobody, gid: nobody }];
  },
};

const sameUser: Confinement = {
  name: "as the same user",
  start: (_, command) => [[...command], {}],
};

const nobody = 65_534;

/** The strictest that works here. Root itself never runs them: one path that was overlooked would be the system's. */
export function chooseConfinement(directory: string): Confinement {
  const isRoot = process.getuid?.() === 0;
  const choices = [namespaces, ...(isRoot ? [anotherUser] : [sameUser])];
  const works = choices.find((choice, at) => isKept(choice, join(directory, `probe-${at}`)));
  if (works !== undefined) return works;
  throw new Error(
    "Generated commands do not run as root. Run this as another user, or where 'unshare' works and Node can be read by all.",
  );
}

/** Tried, not guessed: Node must start inside, write there, and (unless it is the same user) not beside it. */
function isKept(confinement: Confinement, inside: string): boolean {
  mkdirSync(inside, { recursive: true });
  const script = `
const { writeFileSync } = require("node:fs");
writeFileSync("inside", "");
try { writeFileSync("../outside", ""); } catch { process.exit(3); }`;
  const [words, options] = confinement.start(inside, [process.execPath, "-e", script]);
  const [program, ...rest] = words;
  const { status } = spawnSync(program ?? "", rest, { ...options, cwd: inside, stdio: "ignore" });
  return status === (confinement === sameUser ? 0 : 3);
}

/** Every mount but the given directory becomes read-only, there is no network, and nothing outlives the first process. */
const confine = `
mount --bind "$0" "$0" || exit 1
while read -r _ at _; do
  case $at in "$0" | /proc | /proc/*) continue ;; esac
  mount -o remount,bind,ro "$at" 2>/dev/null
done </proc/self/mounts
cd "$0" && exec "$@"`;

function isolating(directory: string, command: readonly string[]): string[] {
  const flags = ["--user", "--map-root-user", "--mount", "--net", "--pid", "--mount-proc"];
  return [
    "unshare",
    ...flags,
    "--fork",
    "--kill-child",
    "sh",
    "-c",
    confine,
    directory,
    ...command,
  ];
}

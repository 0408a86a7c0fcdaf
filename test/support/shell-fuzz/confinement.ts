import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** The directories of a lane, which runs commands. */
export interface LanePlace {
  /** Writable inside. */
  own: string;
  /** Its copy of the box: the lane sees it at `box`, and writes to it alone. */
  copy: string;
  /** The path that decisions are made for. */
  box: string;
}

/** Keeps commands made by chance inside a directory. */
export interface Confinement {
  /** For people. */
  name: string;
  /** The words that start a program confined to a place. */
  start: (place: LanePlace, command: readonly string[]) => string[];
}

const bubblewrap: Confinement = {
  name: "in bubblewrap, without network",
  start: ({ own, copy, box }, command) => [
    ...["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", own, own],
    ...["--bind", copy, box, "--chdir", box, "--", ...command],
  ],
};

const namespaces: Confinement = {
  name: "in namespaces of their own, without network",
  start: ({ own, copy, box }, command) => [
    ...["unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--mount-proc"],
    ...["--fork", "--kill-child", "sh", "-c", confine, own, copy, box, ...command],
  ],
};

/** Every mount but the lane's own becomes read-only. */
const confine = `
mount --bind "$0" "$0" && mount --bind "$1" "$2" || exit 1
while read -r _ at _; do
  case $at in "$0" | "$2" | /proc | /proc/*) continue ;; esac
  mount -o remount,bind,ro "$at" 2>/dev/null
done </proc/self/mounts
cd "$2" && shift 2 && exec "$@"`;

/** The strictest that works here; `null`: none does, and nothing generated may run. */
export function chooseConfinement(directory: string): Confinement | null {
  return (
    [bubblewrap, namespaces].find((choice, at) => isKept(choice, join(directory, `probe-${at}`))) ??
    null
  );
}

/** Tried, not guessed: bash must start under strace, write in the copy through the box, and not beside it. */
function isKept(confinement: Confinement, directory: string): boolean {
  const place = placeIn(directory);
  for (const one of Object.values(place)) mkdirSync(one, { recursive: true });
  const script = `echo >inside && test -e '${place.copy}/inside' && ! { echo >'${directory}/outside'; } 2>/dev/null`;
  const trace = join(place.own, "trace");
  const traced = ["strace", "-f", "-qq", "--seccomp-bpf", "-y", "-o", trace, "bash", "-c", script];
  const [program = "", ...words] = confinement.start(place, traced);
  return spawnSync(program, words, { stdio: "ignore" }).status === 0;
}

function placeIn(directory: string): LanePlace {
  const own = join(directory, "own");
  return { own, copy: join(own, "box"), box: join(directory, "box") };
}

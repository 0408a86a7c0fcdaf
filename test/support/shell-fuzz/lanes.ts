import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { oneLine } from "./one-line.ts";
import { makeTemplate } from "./scratch.ts";
import { logOf, type Observation, type SlotPlace } from "./slot.ts";
import { copyRealPrograms, installStubs } from "./stubs.ts";

/** Processes that run commands in real bash and tell what happened. */
export interface Lanes extends AsyncDisposable {
  /** Whether the kernel keeps commands from writing anywhere else; the generator's own care holds without it too. */
  readonly isolated: boolean;
  /** Where a command runs, as it is before: for the decision. */
  readonly workingDirectory: string;
  /** How many commands can be under way before one waits. */
  readonly width: number;
  run: (command: string) => Promise<Observation>;
}

const slotsPerLane = 2;

/** Everything is made below the directory; only the lanes' own parts of it are written to by commands. */
export function openLanes(directory: string, count: number): Lanes {
  const isolated = canIsolate(join(directory, "probe"));
  const [template, programs] = [join(directory, "template"), join(directory, "programs")];
  makeTemplate(template);
  copyRealPrograms(programs);
  const lanes = Array.from({ length: count }, (_, lane) => {
    const own = join(directory, `lane-${lane}`);
    mkdirSync(own);
    const slots = Array.from({ length: slotsPerLane }, (_, slot) => {
      const stubs = join(directory, `stubs-${lane}-${slot}`);
      const place = { directory: join(own, `slot-${slot}`), stubs, programs, template };
      installStubs(stubs, logOf(place));
      return place;
    });
    return openLane(own, slots, isolated);
  });
  let turn = 0;
  return {
    isolated,
    workingDirectory: join(template, "work"),
    // One that waits for each that runs, so that no slot is ever idle.
    width: count * slotsPerLane * 2,
    run(command) {
      turn += 1;
      const lane = lanes[turn % lanes.length];
      if (lane === undefined) throw new RangeError("There is no lane. Open at least one.");
      return lane.run(command);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

interface Lane {
  run: (command: string) => Promise<Observation>;
  close: () => Promise<void>;
}

function openLane(directory: string, slots: readonly SlotPlace[], isolated: boolean): Lane {
  const script = fileURLToPath(new URL("lane.ts", import.meta.url));
  const node = [process.execPath, script, JSON.stringify(slots)];
  const [program, ...words] = isolated ? isolating(directory, node) : node;
  const child = spawn(program ?? "", words, { stdio: ["pipe", "pipe", "inherit"] });
  const open = new Map<number, PromiseWithResolvers<Observation>>();
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.once("error", (error) => fail(open, error));
  child.stdin?.on("error", (error) => fail(open, error));
  void gone.then(() => fail(open, new Error("A lane ended early. Its words are on stderr.")));
  createInterface({ input: readable(child) }).on("line", (line) => {
    const { id, ...observation } = JSON.parse(line) as Observation & { id: number };
    open.get(id)?.resolve(observation);
    open.delete(id);
  });
  let last = 0;
  return {
    run(command) {
      last += 1;
      const answer = Promise.withResolvers<Observation>();
      open.set(last, answer);
      child.stdin?.write(oneLine({ id: last, command }));
      return answer.promise;
    },
    close() {
      child.stdin?.end();
      return gone;
    },
  };
}

function readable(child: ChildProcess): NodeJS.ReadableStream {
  if (child.stdout === null) throw new Error("The lane has no stdout. Spawn it with a pipe.");
  return child.stdout;
}

function fail(open: Map<number, PromiseWithResolvers<Observation>>, error: Error): void {
  for (const answer of open.values()) answer.reject(error);
  open.clear();
}

/** Every mount but the given directory becomes read-only, there is no network, and nothing outlives the first process. */
const confine = `
mount --bind "$0" "$0" || exit 1
while read -r _ at _; do
  case $at in "$0" | /proc | /proc/*) continue ;; esac
  mount -o remount,bind,ro "$at" 2>/dev/null
done </proc/self/mounts
exec "$@"`;

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

/** Tried, not guessed: it must be possible to write inside and impossible to write beside it. */
function canIsolate(inside: string): boolean {
  mkdirSync(inside, { recursive: true });
  const test = `(: >"$1/inside") && ! (: >"$1/../outside")`;
  const [program, ...words] = isolating(inside, ["sh", "-c", test, "sh", inside]);
  return spawnSync(program ?? "", words, { stdio: "ignore" }).status === 0;
}

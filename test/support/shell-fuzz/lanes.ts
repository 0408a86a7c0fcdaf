import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chooseConfinement, type Confinement } from "./confinement.ts";
import { oneLine } from "./one-line.ts";
import { makeTemplate } from "./scratch.ts";
import { logOf, type Observation, type SlotPlace } from "./slot.ts";
import { copyRealPrograms, installStubs } from "./stubs.ts";

/** Processes that run commands in real bash and tell what happened. */
export interface Lanes extends AsyncDisposable {
  /** How commands are kept from writing anywhere else, for people. */
  readonly confinement: string;
  /** Where a command runs, as it is before: for the decision. */
  readonly workingDirectory: string;
  /** How many commands can be under way before one waits. */
  readonly width: number;
  run: (command: string) => Promise<Observation>;
}

const slotsPerLane = 2;

/** Everything is made below the directory; only the lanes' own parts of it are written to by commands. */
export function openLanes(directory: string, count: number): Lanes {
  const confinement = chooseConfinement(directory);
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
    return openLane(own, slots, confinement);
  });
  let turn = 0;
  return {
    confinement: confinement.name,
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

function openLane(directory: string, slots: readonly SlotPlace[], confinement: Confinement): Lane {
  const script = fileURLToPath(new URL("lane.ts", import.meta.url));
  const node = [process.execPath, script, JSON.stringify(slots)];
  const [[program, ...words], options] = confinement.start(directory, node);
  const child = spawn(program ?? "", words, { ...options, stdio: ["pipe", "pipe", "inherit"] });
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

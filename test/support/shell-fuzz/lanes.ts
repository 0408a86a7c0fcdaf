import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chooseConfinement, type Confinement, type LanePlace } from "./confinement.ts";
import { oneLine } from "./one-line.ts";
import { copyTemplate, makeTemplate } from "./scratch.ts";
import type { Observation, SlotPlace } from "./slot.ts";
import { copyRealPrograms, installStubs } from "./stubs.ts";

/** Processes that run commands in real bash and report what happened. */
export interface Lanes extends AsyncDisposable {
  /** How commands are kept from writing anywhere else, for people. */
  readonly confinement: string;
  readonly places: Places;
  /** How many commands can be under way before one waits. */
  readonly width: number;
  /** `null`: the command ended its lane, so that nothing is known about it. */
  run: (command: string) => Promise<Observation | null>;
}

/** The paths that both the decision and bash see. */
export interface Places {
  readonly work: string;
  readonly home: string;
  readonly outside: string;
  readonly stubs: string;
  readonly programs: string;
}

/** Everything is made below the directory; only the lanes' own parts of it are written to by commands. */
export function openLanes(directory: string, count: number): Lanes {
  const confinement = chooseConfinement(directory);
  if (confinement === null)
    throw new Error(
      "Nothing generated runs unconfined. Install strace, and bubblewrap or unshare.",
    );
  const [template, box] = [join(directory, "template"), join(directory, "box")];
  const [stubs, programs] = [join(directory, "stubs"), join(directory, "programs")];
  makeTemplate(template);
  copyTemplate(template, box);
  copyRealPrograms(programs);
  installStubs(stubs);
  const lanes = Array.from({ length: count }, (_, lane) => {
    const own = join(directory, `lane-${lane}`);
    const place = { own, copy: join(own, "box"), box };
    mkdirSync(own);
    copyTemplate(template, place.copy);
    return openLane(place, { own, box, stubs, programs, template }, confinement);
  });
  let turn = 0;
  return {
    confinement: confinement.name,
    places: {
      ...{ work: join(box, "work"), home: join(box, "home"), outside: join(box, "outside") },
      ...{ stubs, programs },
    },
    // One that waits for each that runs, so that no lane is ever idle.
    width: count * 2,
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
  run: (command: string) => Promise<Observation | null>;
  close: () => Promise<void>;
}

type Answers = Map<number, { command: string; resolve: (found: Observation | null) => void }>;

/** Opens its process again where a command ended it. */
function openLane(place: LanePlace, slot: SlotPlace, confinement: Confinement): Lane {
  const open: Answers = new Map();
  let [last, isClosing, gone] = [0, false, Promise.resolve()];
  let child = start();
  return {
    run(command) {
      last += 1;
      const id = last;
      return new Promise((resolve) => {
        open.set(id, { command, resolve });
        child.stdin?.write(oneLine({ id, command }));
      });
    },
    close() {
      isClosing = true;
      child.stdin?.end();
      return gone;
    },
  };

  function start(): ChildProcess {
    copyTemplate(slot.template, place.copy);
    const script = fileURLToPath(new URL("lane.ts", import.meta.url));
    const words = confinement.start(place, [process.execPath, script, JSON.stringify(slot)]);
    const [program = "", ...args] = words;
    const started = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    started.stdin.on("error", () => {});
    const ended = new Promise<void>((resolve) => {
      started.once("close", () => resolve());
      started.once("error", () => resolve());
    });
    gone = ended;
    void ended.then(() => {
      if (isClosing) return;
      // The oldest one ended it; the others have not begun.
      const [first, ...others] = open;
      open.clear();
      first?.[1].resolve(null);
      child = start();
      for (const [id, answer] of others) {
        open.set(id, answer);
        child.stdin?.write(oneLine({ id, command: answer.command }));
      }
    });
    createInterface({ input: started.stdout }).on("line", (line) => {
      const { id, ...observation } = JSON.parse(line) as Observation & { id: number };
      const answer = open.get(id);
      open.delete(id);
      answer?.resolve(observation);
    });
    return started;
  }
}

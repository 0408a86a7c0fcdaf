import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { changesBetween, copyTemplate, restore, snapshot } from "./scratch.ts";
import { findProgram, readLog } from "./stubs.ts";

/** What a command did. */
export interface Observation {
  /** Stubs that ran, with their arguments, in order. */
  ran: string[];
  /** Paths below the working directory and the home directory that are not as they were. */
  changed: string[];
  timedOut: boolean;
}

/** A place where one command at a time runs: its own programs, files and log. */
export interface Slot {
  run: (command: string) => Promise<Observation>;
}

const patienceMs = 2000;
/** Everything that a command starts inherits this descriptor, so its end is the end of all of them. */
const lifeline = 9;

/** A directory to write in, one with the stubs that log into it, and what all slots share. */
export interface SlotPlace {
  directory: string;
  stubs: string;
  programs: string;
  template: string;
}

export function logOf({ directory }: Pick<SlotPlace, "directory">): string {
  return join(directory, "log");
}

export function openSlot(place: SlotPlace): Slot {
  const { directory, template } = place;
  const [box, log] = [join(directory, "box"), logOf(place)];
  mkdirSync(join(directory, "tmp"), { recursive: true });
  const prelude = join(directory, "prelude");
  writeFileSync(prelude, preludeOfTheProduct(join(directory, "cwd")));
  const bash = findProgram("bash") ?? "bash";
  const work = join(box, "work");
  const env = {
    PATH: `${place.stubs}:${place.programs}`,
    HOME: join(box, "home"),
    PWD: work,
    TMPDIR: join(directory, "tmp"),
    LC_ALL: "C.UTF-8",
    BASH_ENV: prelude,
    GIT_CONFIG_NOSYSTEM: "1",
    // A function that calls itself in a pipe doubles its processes each time.
    FUNCNEST: "6",
  };
  copyTemplate(template, box);
  let before = snapshot(box);
  return {
    async run(command) {
      writeFileSync(log, "");
      const child = spawn(bash, ["--noprofile", "--norc", "-c", command], {
        cwd: work,
        env,
        detached: true,
        stdio: [...Array<"ignore">(lifeline).fill("ignore"), "pipe"],
      });
      (child.stdio as readonly unknown[] as (Readable | null)[])[lifeline]?.resume();
      const ended = new Promise<void>((resolve) => {
        child.once("close", () => resolve());
        child.once("error", () => resolve());
      });
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        void endAll(child.pid, box, ended);
      }, patienceMs);
      await ended;
      clearTimeout(timer);
      const changed = changesBetween(before, snapshot(box));
      if (changed.length > 0) {
        restore(template, box, changed);
        before = snapshot(box);
      }
      return { ran: readLog(readFileSync(log, "utf8")), changed, timedOut };
    },
  };
}

/** The file that the product lets bash read before each command. */
function preludeOfTheProduct(report: string): string {
  return `unset BASH_ENV\ntrap '{ builtin pwd -P >|'\\''${report}'\\''; } 2>/dev/null' EXIT\n`;
}

/** The group, and what left it: whatever still stands in the slot's directory. */
async function endAll(pid: number | undefined, box: string, ended: Promise<void>): Promise<void> {
  const isOver = ended.then(() => true);
  const members = pid === undefined ? [] : [-pid];
  do {
    for (const one of [...members, ...processesIn(box)]) {
      try {
        process.kill(one, "SIGKILL");
      } catch {
        // It ended by itself.
      }
    }
  } while (!(await Promise.race([isOver, pause(20, false)])));
}

function processesIn(directory: string): number[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readlinkSync(`/proc/${name}/cwd`).startsWith(directory);
      } catch {
        return false;
      }
    })
    .map(Number);
}

import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { canaries, restore } from "./scratch.ts";
import { findProgram } from "./stubs.ts";
import { readTrace, tracedCalls, type Trace } from "./trace.ts";

/** The observed actions of a command. */
export interface Observation extends Trace {
  timedOut: boolean;
  /** Bash found no command in it, at least in part. */
  isRefused: boolean;
  /** Canaries that were in its output. */
  shown: string[];
}

/** The directories of a place where one command at a time runs. */
export interface SlotPlace {
  own: string;
  box: string;
  stubs: string;
  programs: string;
  template: string;
}

export interface Slot {
  run: (command: string) => Promise<Observation>;
}

const patienceMs = 2000;
const mostOutput = 1_000_000;

export function openSlot({ own, box, stubs, programs, template }: SlotPlace): Slot {
  const [prelude, trace] = [join(own, "prelude"), join(own, "trace")];
  writeFileSync(prelude, preludeOfTheProduct(join(own, "cwd")));
  const strace = findProgram("strace") ?? "strace";
  const bash = findProgram("bash") ?? "bash";
  const work = join(box, "work");
  const env = environment({ own, box, stubs, programs });
  const words = [
    ...["-f", "-qq", "--seccomp-bpf", "-y", "-s", "30000", "-e", "signal=none"],
    ...["-e", `trace=${tracedCalls}`, "-o", trace],
    ...[...Object.entries(env).flatMap(([name, value]) => ["-E", `${name}=${value}`])],
    ...[bash, "--noprofile", "--norc", "-c"],
  ];
  return {
    async run(command) {
      const child = spawn(strace, [...words, command], {
        cwd: work,
        env: {},
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      child.stdout.on("data", (part: Buffer) => {
        if (output.length < mostOutput) output += part.toString();
      });
      let said = "";
      child.stderr.on("data", (part: Buffer) => {
        if (said.length < 10_000) said += part.toString();
      });
      const ended = new Promise<void>((resolve) => {
        child.once("close", () => resolve());
        child.once("error", () => resolve());
      });
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        endGroup(child.pid);
      }, patienceMs);
      await ended;
      clearTimeout(timer);
      if (timedOut) endAllButThis();
      const seen = readTrace(readFileSync(trace, "utf8"), work);
      const executed = seen.executed;
      const touched = seen.touched.filter(({ path }) => !path.startsWith(`${own}/`));
      const changed = touched.filter(
        ({ path, effect }) => effect === "write" && isBelow(box, path),
      );
      restore(
        template,
        box,
        changed.map(({ path }) => relative(box, path)),
      );
      const hasOther = executed.some(({ path }) => /\/(?:ba|da)?sh$/.test(path));
      const isRefused =
        !hasOther && /^\S*bash: -c: line \d+: (?:syntax error|unexpected EOF)/m.test(said);
      const shown = Object.values(canaries).filter((text) => output.includes(text));
      return { executed, touched, timedOut, isRefused, shown };
    },
  };
}

/** Limits keep a command that doubles itself small. */
function environment({
  own,
  box,
  stubs,
  programs,
}: Omit<SlotPlace, "template">): Record<string, string> {
  return {
    PATH: `${stubs}:${programs}`,
    HOME: join(box, "home"),
    PWD: join(box, "work"),
    TMPDIR: own,
    LC_CTYPE: "C.UTF-8",
    BASH_ENV: join(own, "prelude"),
    GIT_CONFIG_NOSYSTEM: "1",
    FUNCNEST: "6",
    // Without them bash looks into the system's files.
    SHELL: "bash",
    USER: "user",
  };
}

/** The file that the product lets bash read before each command, and limits. */
function preludeOfTheProduct(report: string): string {
  return `unset BASH_ENV\nulimit -f 2000 -v 2000000\ntrap '{ builtin pwd -P >|'\\''${report}'\\''; } 2>/dev/null' EXIT\n`;
}

function isBelow(directory: string, path: string): boolean {
  return path.startsWith(`${directory}/`);
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

/** The lane has a process namespace of its own, in which only the lane and its parents are to stay. */
function endAllButThis(): void {
  const own = new Set([1, process.pid, process.ppid]);
  for (const name of readNumbers()) {
    if (own.has(name)) continue;
    try {
      process.kill(name, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
}

function readNumbers(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

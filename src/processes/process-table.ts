import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { ownProgram } from "../platform/own-programs.ts";
import { readMarks, type Marks } from "./marks.ts";
import { isDead, readProcFile, statFields } from "./process-start.ts";

export interface Process extends Marks {
  pid: number;
  parent: number;
  group: number;
  session: number | undefined;
  /** Start time. With the pid it identifies a process: a later one with the same pid has another start time. */
  started: string;
}

/** The start of a process, in milliseconds that compare with `startNow`. */
export function startOf({ started }: Process): number {
  // The kernel counts hundredths of a second since boot, on every machine.
  return process.platform === "linux" ? Number(started) * 10 : Date.parse(started);
}

/** The start time of a process that would start now. */
export function startNow(): number {
  if (process.platform !== "linux") return Date.now();
  return Math.round(Number.parseFloat(readProcFile("/proc/uptime")) * 1000);
}

let nextTable: Promise<Process[]> | undefined;

/** Takes a snapshot of all processes. Agents that end at the same moment share one, always taken after they asked. */
export function readProcesses(): Promise<Process[]> {
  nextTable ??= setImmediate().then(() => {
    nextTable = undefined;
    return process.platform === "linux" ? readProc() : readPs();
  });
  return nextTable;
}

export function readProc(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const fields = statFields(name);
    const [state, parent, group, session] = fields;
    if (fields.length < 20 || isDead(state) || isOfKernel(fields[6])) return [];
    return {
      pid: Number(name),
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      started: fields[19] ?? "",
      ...readMarks(readProcFile(`/proc/${name}/environ`).split("\0"), name),
    };
  });
}

function isOfKernel(flags: string | undefined): boolean {
  return (Number(flags) & 0x20_0000) !== 0;
}

async function readPs(): Promise<Process[]> {
  const run = promisify(execFile);
  const ps = ownProgram("ps");
  const options = {
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, PATH: ps.path },
  };
  const [table, environments] = await Promise.all([
    run(ps.file, ["-axo", "pid=,ppid=,pgid=,stat=,lstart="], options),
    run(ps.file, ["-axEww", "-o", "pid=,command="], options),
  ]);
  const environmentOf = new Map(
    environments.stdout.split("\n").map((line) => [Number.parseInt(line, 10), line] as const),
  );
  return table.stdout.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
    if (pid === undefined || pid === "" || state?.startsWith("Z")) return [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: undefined,
      started: started.join(" "),
      ...readMarks(environmentOf.get(Number(pid))?.split(/\s+/) ?? []),
    };
  });
}

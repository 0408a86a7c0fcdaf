import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";

/** The marks that processes of an agent inherit in their environment. */
export const agentVariable = "RETINUE_AGENT";
export const callVariable = "RETINUE_CALL";

export interface Process {
  pid: number;
  parent: number;
  group: number;
  session: number | undefined;
  /** With the pid, the identity of a process: a later one with the same pid started at another time. */
  started: string;
  agent: string | undefined;
  call: string | undefined;
}

let nextTable: Promise<Process[]> | undefined;

/** Many agents that end at the same moment share one look; it is always taken after they asked. */
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
    if (fields.length < 20 || state === "Z" || state === "X") return [];
    const environment = read(`/proc/${name}/environ`).split("\0");
    return {
      pid: Number(name),
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      started: fields[19] ?? "",
      agent: variableIn(environment, agentVariable),
      call: variableIn(environment, callVariable),
    };
  });
}

/** What follows the command's name, which is in parentheses and may itself hold spaces and parentheses. */
function statFields(pid: string): string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function variableIn(environment: readonly string[], name: string): string | undefined {
  return environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
}

async function readPs(): Promise<Process[]> {
  const run = promisify(execFile);
  const options = { maxBuffer: 64 * 1024 * 1024 };
  const [table, environments] = await Promise.all([
    run("ps", ["-axo", "pid=,ppid=,pgid=,stat=,lstart="], options),
    run("ps", ["-axEww", "-o", "pid=,command="], options),
  ]);
  const environmentOf = new Map(
    environments.stdout.split("\n").map((line) => [Number.parseInt(line, 10), line] as const),
  );
  return table.stdout.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
    if (pid === undefined || pid === "" || state?.startsWith("Z")) return [];
    const environment = environmentOf.get(Number(pid))?.split(/\s+/) ?? [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: undefined,
      started: started.join(" "),
      agent: variableIn(environment, agentVariable),
      call: variableIn(environment, callVariable),
    };
  });
}

/** When a process started, in a form that can only be compared; empty when it is not there, or dead and not yet buried. */
export function processStart(pid: number): string {
  if (process.platform === "linux") {
    const fields = statFields(String(pid));
    return fields[0] === "Z" || fields[0] === "X" ? "" : (fields[19] ?? "");
  }
  try {
    process.kill(pid, 0);
    return "alive";
  } catch {
    return "";
  }
}

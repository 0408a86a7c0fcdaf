import { readdirSync, readFileSync } from "node:fs";

/**
 * The start of a process, in a form that can only be compared; empty if there is no such process. A zombie counts as
 * none: where init does not reap, it stays for ever.
 */
export function processStart(pid: number): string {
  if (process.platform === "linux") {
    const fields = statFields(String(pid));
    return isDead(fields[0]) ? "" : (fields[19] ?? "");
  }
  try {
    process.kill(pid, 0);
    return "alive";
  } catch {
    return "";
  }
}

export function isDead(state: string | undefined): boolean {
  return state === "Z" || state === "X";
}

/** The fields behind the command's name, which is in parentheses and may itself contain spaces and parentheses. */
export function statFields(pid: string): string[] {
  const stat = readProcFile(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The content of a file in /proc; empty if the process is gone or belongs to another user. */
export function readProcFile(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** Whether any process is in a session; false if that is unknown. */
export function isSessionUsed(session: number): boolean {
  if (process.platform !== "linux") return false;
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.some((pid) => {
    const fields = statFields(pid);
    return fields[3] === String(session) && !isDead(fields[0]);
  });
}

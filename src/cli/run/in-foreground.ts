import { execFileSync } from "node:child_process";
import { statFields } from "../../processes/process-start.ts";

/**
 * Whether the terminal is ours to read. The system stops a job in the background (`retinue run … &`) that reads it or
 * changes its mode.
 */
export function inForeground(): boolean {
  if (process.platform === "linux") {
    const fields = statFields("self");
    const [group, owner] = [Number(fields[2]), Number(fields[5])];
    // Without a terminal of its own, or one in another namespace, nobody stops it.
    return !(owner > 0) || owner === group;
  }
  try {
    const args = ["-o", "stat=", "-p", String(process.pid)];
    return execFileSync("ps", args, { encoding: "utf8", timeout: 2000, stdio: "pipe" }).includes(
      "+",
    );
  } catch {
    return true;
  }
}

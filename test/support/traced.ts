import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ran } from "./started.ts";
import { temporaryDirectory } from "./stage.ts";
import { bin } from "./bin.ts";

export const canTrace: boolean = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;
if (!canTrace) process.stdout.write("skipped: strace is not here, or may not trace\n");

export interface Traced extends Ran {
  /** What was opened below the directory, in its order. */
  opened: { path: string; how: "list" | "read" | "write" }[];
}

/** Runs `retinue` under strace and tells what it opened below a directory. Paths begin with `/`. */
export function traceOpens(
  args: readonly string[],
  { below, env, cwd }: { below: string; env: NodeJS.ProcessEnv; cwd: string },
): Traced {
  const log = join(temporaryDirectory(), "trace");
  const trace = ["-f", "-qq", "-e", "trace=openat,open", "-s", "4096", "-o", log];
  const { status, stdout, stderr } = spawnSync(
    "strace",
    [...trace, process.execPath, bin, ...args],
    { env: { ...process.env, ...env }, cwd, encoding: "utf8" },
  );
  const opened = readFileSync(log, "utf8")
    .split("\n")
    .flatMap((line): Traced["opened"] => {
      const [, path, flags = ""] = /\("?[^"]*"([^"]*)", ([A-Z_|]+)/.exec(line) ?? [];
      if (path === undefined || !path.startsWith(below)) return [];
      const reads = flags.includes("O_RDONLY") ? "read" : "write";
      const how = flags.includes("O_DIRECTORY") ? "list" : reads;
      return [{ path: path.slice(below.length) || "/", how }];
    });
  return { code: status, stdout, stderr, opened };
}
